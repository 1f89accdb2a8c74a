//! The names of the fields of an event.

use projection_core::InvalidOption;

/// Which fields of a document hold what is known of an event, and which holds its data.
///
/// ```
/// use projection_mongo::EventFields;
///
/// // { _id: …, seq: 7, kind: "OrderPlaced", aggregate: "o-1", at: ISODate(…), payload: { … } }
/// let fields = EventFields::new()
///     .with_position("seq")
///     .with_id("_id")
///     .with_name("kind")
///     .with_stream("aggregate")
///     .with_time("at")
///     .with_data("payload");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventFields {
    pub(super) position: String,
    pub(super) id: String,
    pub(super) source: String,
    pub(super) name: String,
    pub(super) stream: String,
    pub(super) stream_version: String,
    pub(super) time: String,
    /// `None` is the whole document.
    pub(super) data: Option<String>,
}

macro_rules! with {
    ($($(#[$doc:meta])* $method:ident $field:ident),*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $method(mut self, field: impl Into<String>) -> Self {
            self.$field = field.into();
            self
        })*
    };
}

impl EventFields {
    /// `position`, `id`, `source`, `type`, `streamid`, `streamversion`, `time`, `data`.
    #[must_use]
    pub fn new() -> Self {
        Self {
            position: "position".into(),
            id: "id".into(),
            source: "source".into(),
            name: "type".into(),
            stream: "streamid".into(),
            stream_version: "streamversion".into(),
            time: "time".into(),
            data: Some("data".into()),
        }
    }

    with! {
        /// The position in the order of all events: a whole number above 0. Required in each event.
        with_position position,
        /// The id: text, an object id, a UUID or a whole number. Required in each event; may be `_id`.
        with_id id,
        /// The system the event comes from, as text. Where an event has none, the default of the options.
        with_source source,
        /// The name of the event, as text. Required in each event.
        with_name name,
        /// The stream the event belongs to: of the types of an id. Empty where an event has none.
        with_stream stream,
        /// The place in the stream, from 1. 0 where an event has none.
        with_stream_version stream_version,
        /// When it happened: a date, or text as in RFC 3339.
        with_time time
    }

    /// The sub-document that holds the data.
    #[must_use]
    pub fn with_data(mut self, field: impl Into<String>) -> Self {
        self.data = Some(field.into());
        self
    }

    /// The data is the whole document: its fields stand beside the others.
    #[must_use]
    pub fn with_whole_document_as_data(mut self) -> Self {
        self.data = None;
        self
    }

    /// Whether a document of an event has a field of this name besides its data.
    pub(super) fn is_attribute(&self, field: &str) -> bool {
        let ours =
            [&self.position, &self.id, &self.source, &self.name, &self.stream, &self.stream_version, &self.time];
        ["_id", "specversion", "datacontenttype"].contains(&field) || ours.into_iter().any(|name| name == field)
    }

    /// Refuses names that no field can have, and one name for two fields.
    pub(super) fn check(&self) -> Result<(), InvalidOption> {
        let named = [
            ("position", &self.position),
            ("id", &self.id),
            ("source", &self.source),
            ("name", &self.name),
            ("stream", &self.stream),
            ("stream_version", &self.stream_version),
            ("time", &self.time),
        ];
        let all: Vec<_> = named.into_iter().chain(self.data.as_ref().map(|data| ("data", data))).collect();
        for (place, (option, field)) in all.iter().enumerate() {
            let allowed = if field.is_empty() || field.starts_with('$') || field.contains(['.', '\0']) {
                "a field at the top level of the document: not empty, without a dot, not beginning with `$`"
            } else if all[..place].iter().any(|(_, other)| other == field) {
                "each of position, id, source, name, stream, stream version, time and data has a field of its own"
            } else {
                continue;
            };
            return Err(InvalidOption { option, value: format!("{field:?}"), allowed });
        }
        Ok(())
    }
}

impl Default for EventFields {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_no_field_can_have_is_refused_with_its_value() {
        assert!(EventFields::new().check().is_ok());
        let error = EventFields::new().with_time("meta.time").check().unwrap_err();
        assert!(error.to_string().starts_with("time = \"meta.time\" is refused"), "{error}");
        assert!(EventFields::new().with_name("").check().is_err());
        assert!(EventFields::new().with_data("$data").check().is_err());
        assert!(EventFields::new().with_stream("id").check().is_err());
        assert!(EventFields::new().with_whole_document_as_data().check().is_ok());
    }
}

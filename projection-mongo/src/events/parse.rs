//! What is known of an event, read from its document in one pass.

use std::{collections::HashSet, fmt, ops::Range, sync::Arc};

use bson::{Bson, RawBsonRef, RawDocument, oid::ObjectId, raw::CStr, spec::BinarySubtype};
use projection_core::{EventMetadata, EventRef, Position};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::EventFields;
use crate::decode::as_whole;

/// An event that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the event with `_id` {id} cannot be read: `{field}` {what}")]
pub(crate) struct BadEvent {
    id: String,
    field: String,
    what: String,
}

impl BadEvent {
    pub(super) fn new(event: &RawDocument, field: &str, what: impl fmt::Display) -> Self {
        let id = match event.get("_id") {
            Ok(Some(id)) => Bson::try_from(id).map_or_else(|error| error.to_string(), |id| id.to_string()),
            _ => "(none)".to_owned(),
        };
        Self { id, field: field.to_owned(), what: what.to_string() }
    }
}

/// Names that many events share are kept once a page.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<Arc<str>>);

impl Names {
    fn get(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return Arc::clone(known);
        }
        let new: Arc<str> = name.into();
        self.0.insert(Arc::clone(&new));
        new
    }
}

/// Where the data of an event is.
#[derive(Debug, Clone)]
pub(super) enum DataAt {
    /// In a document, by its place in the event's bytes.
    Document(Range<usize>),
    /// In the whole event, or in a field of it that is no document.
    Event,
    /// Nowhere.
    Nowhere,
}

/// Reads what is known of an event.
pub(super) fn event(
    document: &RawDocument,
    fields: &EventFields,
    default_source: &Arc<str>,
    names: &mut Names,
) -> Result<(EventMetadata, DataAt), BadEvent> {
    let bad = |field: &str, what: &str| BadEvent::new(document, field, what);
    let (mut position, mut id, mut source, mut name) = (None, None, None, None);
    let (mut stream, mut version, mut time): (Option<Arc<str>>, _, _) = (None, None, None);
    let mut data = if fields.data.is_some() { DataAt::Nowhere } else { DataAt::Event };

    for element in crate::writer::elements(document) {
        let element = element.map_err(|error| bad("?", &error.to_string()))?;
        let field = element.name();
        if fields.data.as_deref() == Some(field) {
            let is_document = element.element.element_type() == bson::spec::ElementType::EmbeddedDocument;
            data = if is_document { DataAt::Document(element.value) } else { DataAt::Event };
            continue;
        }
        let value = || element.value().map_err(|error| bad(field, &error.to_string()));
        if field == fields.position {
            position = Some(self::position(value()?).map_err(|what| bad(field, what))?);
        } else if field == fields.id {
            id = Some(text(value()?).ok_or_else(|| bad(field, NO_ID))?);
        } else if field == fields.name {
            let text = value()?.as_str().ok_or_else(|| bad(field, "is no text"))?;
            name = Some(names.get(text));
        } else if field == fields.source {
            match value()? {
                RawBsonRef::Null => {}
                value => source = Some(names.get(value.as_str().ok_or_else(|| bad(field, "is no text"))?)),
            }
        } else if field == fields.stream {
            stream = text(value()?);
        } else if field == fields.stream_version {
            version = whole(value()?).and_then(|version| u64::try_from(version).ok());
        } else if field == fields.time {
            time = self::time(value()?).map_err(|what| bad(field, what))?;
        }
    }

    let position = position.ok_or_else(|| bad(&fields.position, MISSING))?;
    let id = id.ok_or_else(|| bad(&fields.id, MISSING))?;
    let name = name.ok_or_else(|| bad(&fields.name, MISSING))?;
    let source = source.unwrap_or_else(|| Arc::clone(default_source));
    let mut metadata = EventMetadata::new(position, EventRef { source, id }, name, stream.unwrap_or_default())
        .with_stream_version(version.unwrap_or_default());
    if let Some(time) = time {
        metadata = metadata.with_time(time);
    }
    Ok((metadata, data))
}

const MISSING: &str = "is missing";
const NO_ID: &str = "is no id: use text, an object id, a UUID or a whole number";

/// The position of an event that was read for little else.
pub(super) fn position_of(event: &RawDocument, fields: &EventFields) -> Result<Position, BadEvent> {
    let bad = |what: &str| BadEvent::new(event, &fields.position, what);
    match event.get(&fields.position) {
        Ok(Some(value)) => position(value).map_err(bad),
        Ok(None) => Err(bad(MISSING)),
        Err(error) => Err(bad(&error.to_string())),
    }
}

/// The place of an event in its stream, that was read for little else.
pub(super) fn version_of(event: &RawDocument, fields: &EventFields) -> Result<i64, BadEvent> {
    let version = event.get(&fields.stream_version).ok().flatten().and_then(whole);
    version.ok_or_else(|| BadEvent::new(event, &fields.stream_version, "is no whole number"))
}

/// Source and id of an event that was read for little else.
pub(super) fn event_of(
    event: &RawDocument,
    fields: &EventFields,
    default_source: &Arc<str>,
) -> Result<EventRef, BadEvent> {
    let id = event.get(&fields.id).ok().flatten().and_then(text);
    let id = id.ok_or_else(|| BadEvent::new(event, &fields.id, NO_ID))?;
    let source = event.get(&fields.source).ok().flatten().and_then(RawBsonRef::as_str);
    Ok(EventRef { source: source.map_or_else(|| Arc::clone(default_source), Arc::from), id })
}

/// The values that [`text`] reads as this text.
pub(super) fn stored_forms(id: &str) -> Vec<Bson> {
    let mut forms = vec![Bson::String(id.to_owned())];
    forms.extend(ObjectId::parse_str(id).ok().filter(|object| object.to_hex() == id).map(Bson::ObjectId));
    forms.extend(bson::Uuid::parse_str(id).ok().filter(|uuid| uuid.to_string() == id).map(Bson::from));
    forms.extend(id.parse().ok().filter(|int: &i64| int.to_string() == id).map(Bson::Int64));
    forms
}

fn position(value: RawBsonRef<'_>) -> Result<Position, &'static str> {
    let position = whole(value).ok_or("is no whole number")?;
    Position::try_from(position).ok().filter(|position| *position > Position::START).ok_or("is not above 0")
}

fn whole(value: RawBsonRef<'_>) -> Option<i64> {
    match value {
        RawBsonRef::Int64(int) => Some(int),
        RawBsonRef::Int32(int) => Some(int.into()),
        other => as_whole(other),
    }
}

/// An id as text.
fn text(value: RawBsonRef<'_>) -> Option<Arc<str>> {
    match value {
        RawBsonRef::String(text) => Some(text.into()),
        RawBsonRef::ObjectId(id) => Some(id.to_hex().into()),
        RawBsonRef::Binary(binary) if binary.subtype == BinarySubtype::Uuid => {
            let bytes: [u8; 16] = binary.bytes.try_into().ok()?;
            Some(bson::Uuid::from_bytes(bytes).to_string().into())
        }
        other => whole(other).map(|int| int.to_string().into()),
    }
}

fn time(value: RawBsonRef<'_>) -> Result<Option<OffsetDateTime>, &'static str> {
    const WRONG: &str = "is no time: use a date, or text as in RFC 3339";
    match value {
        RawBsonRef::Null => Ok(None),
        RawBsonRef::DateTime(date) => {
            let nanoseconds = i128::from(date.timestamp_millis()) * 1_000_000;
            OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).map(Some).map_err(|_| WRONG)
        }
        RawBsonRef::String(text) => time_of_text(text).map(Some).ok_or(WRONG),
        _ => Err(WRONG),
    }
}

/// As in RFC 3339; also without seconds, as Java writes a time on the full minute.
fn time_of_text(text: &str) -> Option<OffsetDateTime> {
    const TO_THE_MINUTE: usize = "2013-01-01T10:00".len();
    let parse = |text: &str| OffsetDateTime::parse(text, &Rfc3339).ok();
    parse(text).or_else(|| {
        let (minute, offset) = text.split_at_checked(TO_THE_MINUTE)?;
        parse(&format!("{minute}:00{offset}"))
    })
}

/// The value of a field that is no document.
pub(super) fn field<'a>(event: &'a RawDocument, name: &str) -> Option<RawBsonRef<'a>> {
    let element = event.iter_elements().flatten().find(|element| CStr::as_str(element.key()) == name)?;
    element.value().ok()
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn read(document: &bson::Document, fields: &EventFields) -> Result<EventMetadata, String> {
        let raw = bson::serialize_to_raw_document_buf(document).unwrap();
        event(&raw, fields, &"default".into(), &mut Names::default())
            .map(|(metadata, _)| metadata)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_default_fields_are_the_cloudevents_attributes() {
        let metadata = read(
            &doc! {
                "_id": 1, "id": "e-1", "source": "shop", "type": "OrderPlaced", "time": "2013-01-01T10:00:00Z",
                "specversion": "1.0", "streamid": "o-1", "streamversion": 3, "position": 7_i64, "data": { "a": 1 },
            },
            &EventFields::new(),
        )
        .unwrap();
        assert_eq!(metadata.position(), Position::from(7));
        assert_eq!(metadata.event(), &EventRef::new("shop", "e-1"));
        assert_eq!((metadata.name(), metadata.stream_id().as_str()), ("OrderPlaced", "o-1"));
        assert_eq!(metadata.stream_version(), 3);
        assert_eq!(metadata.time().unwrap().unix_timestamp(), 1_357_034_400);
    }

    #[test]
    fn a_collection_of_other_names_and_types_can_be_mapped() {
        let fields = EventFields::new().with_position("seq").with_id("_id").with_name("kind").with_time("at");
        let id = ObjectId::new();
        let date = bson::DateTime::from_millis(1500);
        let metadata = read(&doc! { "_id": id, "seq": 7.0, "kind": "A", "at": date }, &fields).unwrap();
        assert_eq!(metadata.event(), &EventRef::new("default", id.to_hex()));
        assert_eq!(metadata.position(), Position::from(7));
        assert_eq!(metadata.time().unwrap().unix_timestamp_nanos(), 1_500_000_000);
        assert!(metadata.stream_id().as_str().is_empty());
    }

    #[test]
    fn an_event_that_cannot_be_read_is_named_by_its_document() {
        let event = |position: Bson| doc! { "_id": "x", "id": "e", "type": "A", "position": position };
        let read = |event: bson::Document| read(&event, &EventFields::new()).unwrap_err();
        assert_eq!(read(doc! { "_id": "x" }), "the event with `_id` \"x\" cannot be read: `position` is missing");
        assert!(read(event(0.into())).ends_with("`position` is not above 0"));
        assert!(read(event(1.5.into())).ends_with("`position` is no whole number"));
        assert!(read(event("1".into())).ends_with("`position` is no whole number"));
        assert!(read(doc! { "_id": "x", "position": 1, "type": "A" }).ends_with("`id` is missing"));
        assert!(read(doc! { "_id": "x", "position": 1, "id": "e" }).ends_with("`type` is missing"));
        let bad_time = doc! { "_id": "x", "position": 1, "id": "e", "type": "A", "time": "yesterday" };
        assert!(read(bad_time).contains("`time` is no time"));
    }

    #[test]
    fn a_time_on_the_full_minute_needs_no_seconds() {
        let time = |text| time_of_text(text).map(OffsetDateTime::unix_timestamp_nanos);
        assert_eq!(time("2013-01-01T10:00Z"), Some(1_357_034_400_000_000_000));
        assert_eq!(time("2013-01-01T12:00+02:00"), time("2013-01-01T10:00Z"));
        assert_eq!(time("2013-01-01T10:00:00.000000001Z"), Some(1_357_034_400_000_000_001));
        assert_eq!((time("2013-01-01T10Z"), time("2013-01-01T10:0"), time("yesterday")), (None, None, None));
    }

    #[test]
    fn an_id_is_found_in_each_form_it_can_be_stored_in() {
        let object = ObjectId::new();
        let uuid = bson::Uuid::new();
        for stored in [Bson::from("e-1"), object.into(), uuid.into(), Bson::Int64(7)] {
            let raw = bson::serialize_to_raw_document_buf(&doc! { "v": stored.clone() }).unwrap();
            let text = text(raw.get("v").unwrap().unwrap()).unwrap();
            assert!(stored_forms(&text).contains(&stored), "{stored}");
        }
        assert_eq!(stored_forms("007"), ["007".into()]);
    }
}

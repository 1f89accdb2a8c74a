//! Settings of an event store.

use std::sync::Arc;

use projection_core::store::SourceName;

use super::EventFields;

/// How a collection of events is read.
#[derive(Debug, Clone)]
pub struct MongoEventsOptions {
    fields: EventFields,
    source_name: SourceName,
    default_source: Arc<str>,
    makes_indexes: bool,
}

impl MongoEventsOptions {
    /// The default fields; the order of positions is called `events`, as is the source of an event that names none;
    /// indexes are made.
    #[must_use]
    pub fn new() -> Self {
        let source_name = SourceName::default();
        Self {
            fields: EventFields::new(),
            default_source: source_name.as_str().into(),
            source_name,
            makes_indexes: true,
        }
    }

    /// The fields of an event.
    #[must_use]
    pub fn with_fields(mut self, fields: EventFields) -> Self {
        self.fields = fields;
        self
    }

    /// The name of this store's order of positions. Stored instances carry it: choose it once.
    #[must_use]
    pub fn with_source_name(mut self, name: SourceName) -> Self {
        self.source_name = name;
        self
    }

    /// The source of an event whose document has none.
    #[must_use]
    pub fn with_default_source(mut self, source: impl Into<Arc<str>>) -> Self {
        self.default_source = source.into();
        self
    }

    /// Makes no index. Opening then checks that there is an index that begins with the position, without which each
    /// page would read the whole collection; that no two events have one position is not checked.
    #[must_use]
    pub fn without_making_indexes(mut self) -> Self {
        self.makes_indexes = false;
        self
    }

    pub(super) fn fields(&self) -> &EventFields {
        &self.fields
    }

    pub(super) fn source_name(&self) -> &SourceName {
        &self.source_name
    }

    pub(super) fn default_source(&self) -> &Arc<str> {
        &self.default_source
    }

    pub(super) fn makes_indexes(&self) -> bool {
        self.makes_indexes
    }
}

impl Default for MongoEventsOptions {
    fn default() -> Self {
        Self::new()
    }
}

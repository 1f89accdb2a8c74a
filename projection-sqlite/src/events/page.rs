//! The events of one read: their JSON one after another, and where in it each event's data stands.

use std::ops::Range;

use projection_core::{
    EventMetadata, Position, StoreError,
    store::{EventPage, RawEvent},
};
use serde::de::DeserializeOwned;

/// The events of one read of [`SqliteEvents`](super::SqliteEvents).
#[derive(Debug)]
pub struct SqlitePage {
    data: Vec<u8>,
    entries: Vec<Entry>,
    covers: Position,
}

#[derive(Debug)]
struct Entry {
    metadata: EventMetadata,
    data: Range<usize>,
}

/// One event of a [`SqlitePage`].
#[derive(Debug, Clone, Copy)]
pub struct SqliteEvent<'a> {
    metadata: &'a EventMetadata,
    data: &'a [u8],
}

impl SqlitePage {
    pub(super) fn empty(covers: Position) -> Self {
        Self { data: Vec::new(), entries: Vec::new(), covers }
    }

    pub(super) fn push(&mut self, metadata: EventMetadata, data: &[u8]) {
        let from = self.data.len();
        self.data.extend_from_slice(data);
        self.entries.push(Entry { metadata, data: from..self.data.len() });
    }

    /// How many events there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// How many bytes of data there are.
    pub(super) fn bytes(&self) -> usize {
        self.data.len()
    }

    /// There is more in the window: the page ends with its last event, or where it began.
    pub(super) fn cut(&mut self, after: Position) {
        self.covers = self.entries.last().map_or(after, |last| last.metadata.position());
    }
}

impl EventPage for SqlitePage {
    type Raw<'a> = SqliteEvent<'a>;

    fn events(&self) -> impl Iterator<Item = SqliteEvent<'_>> + Send {
        self.entries
            .iter()
            .map(|entry| SqliteEvent { metadata: &entry.metadata, data: &self.data[entry.data.clone()] })
    }

    fn covers(&self) -> Position {
        self.covers
    }
}

impl RawEvent for SqliteEvent<'_> {
    fn position(&self) -> Position {
        self.metadata.position()
    }

    fn name(&self) -> &str {
        self.metadata.name()
    }

    fn size(&self) -> usize {
        self.data.len()
    }

    fn metadata(&self) -> EventMetadata {
        self.metadata.clone()
    }

    fn decode<E: DeserializeOwned>(&self) -> Result<E, StoreError> {
        serde_json::from_slice(self.data).map_err(StoreError::poison)
    }
}

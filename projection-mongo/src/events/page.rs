//! The events of one read: the server's reply as it came, and where in it each event stands.

use std::ops::Range;

use bson::{RawBsonRef, RawDocument};
use mongodb::raw_batch_cursor::RawBatch;
use projection_core::{
    ErrorKind, EventMetadata, Position, StoreError,
    store::{EventPage, RawEvent, Window},
};
use serde::de::DeserializeOwned;

use super::{
    MongoEvents, content,
    parse::{self, DataAt, Names},
};
use crate::decode;

/// The events of one read of [`MongoEvents`].
#[derive(Debug)]
pub struct MongoPage {
    batch: Option<RawBatch>,
    entries: Vec<Entry>,
    covers: Position,
    data_field: Option<String>,
    by_content_type: bool,
}

#[derive(Debug)]
struct Entry {
    metadata: EventMetadata,
    /// The event's place in the reply.
    event: Range<usize>,
    data: DataAt,
}

/// One event of a [`MongoPage`].
#[derive(Debug, Clone, Copy)]
pub struct MongoEvent<'a> {
    entry: &'a Entry,
    event: &'a [u8],
    data_field: Option<&'a str>,
    by_content_type: bool,
}

impl MongoPage {
    pub(super) fn empty(covers: Position) -> Self {
        Self { batch: None, entries: Vec::new(), covers, data_field: None, by_content_type: false }
    }

    /// The events in a reply to a query for `limit` of them.
    pub(super) fn of(
        batch: RawBatch,
        store: &MongoEvents,
        window: Window,
        limit: usize,
    ) -> Result<Self, StoreError> {
        let (fields, reading) = (store.fields(), &store.reading);
        let failed = |error: mongodb::error::Error| reading.failed(error);
        let reply = batch.as_raw_document();
        let cursor = reply.get_document("cursor").and_then(|cursor| cursor.get_i64("id"));
        let is_open = cursor.map_err(|error| failed(error.into()))? != 0;

        let mut entries = Vec::new();
        let mut names = Names::default();
        for document in batch.doc_slices().map_err(failed)? {
            let document = document.map_err(|error| failed(error.into()))?;
            let document = document.as_document().ok_or_else(|| {
                reading.wrong(ErrorKind::Permanent, "the reply holds something else than documents")
            })?;
            let (metadata, data) = parse::event(document, fields, store.options.default_source(), &mut names)
                .map_err(|error| store.bad_event(&error))?;
            let event = place_of(document.as_bytes(), reply.as_bytes());
            entries.push(Entry { metadata, event, data });
        }

        let is_cut = is_open || entries.len() >= limit;
        let covers = match entries.last() {
            Some(last) if is_cut => last.metadata.position(),
            None if is_cut => return Err(reading.wrong(ErrorKind::Transient, "the server answered an empty batch")),
            _ => window.up_to,
        };
        let by_content_type = store.options.data_by_content_type();
        Ok(Self { entries, covers, data_field: fields.data.clone(), by_content_type, batch: Some(batch) })
    }
}

/// Where `part` stands in `whole`, of which it is a slice.
fn place_of(part: &[u8], whole: &[u8]) -> Range<usize> {
    let start = part.as_ptr().addr() - whole.as_ptr().addr();
    start..start + part.len()
}

impl EventPage for MongoPage {
    type Raw<'a> = MongoEvent<'a>;

    fn events(&self) -> impl Iterator<Item = MongoEvent<'_>> + Send {
        let reply = self.batch.as_ref().map_or(&[][..], |batch| batch.as_raw_document().as_bytes());
        self.entries.iter().map(move |entry| MongoEvent {
            entry,
            event: &reply[entry.event.clone()],
            data_field: self.data_field.as_deref(),
            by_content_type: self.by_content_type,
        })
    }

    fn covers(&self) -> Position {
        self.covers
    }
}

impl RawEvent for MongoEvent<'_> {
    fn position(&self) -> Position {
        self.entry.metadata.position()
    }

    fn name(&self) -> &str {
        self.entry.metadata.name()
    }

    fn size(&self) -> usize {
        self.event.len()
    }

    fn metadata(&self) -> EventMetadata {
        self.entry.metadata.clone()
    }

    fn decode<E: DeserializeOwned>(&self) -> Result<E, StoreError> {
        let document = |bytes| RawDocument::from_bytes(bytes).map_err(StoreError::poison);
        let decoded = match &self.entry.data {
            DataAt::Document(place) => {
                decode::from_value(RawBsonRef::Document(document(&self.event[place.clone()])?))
            }
            DataAt::Event => {
                let event = document(self.event)?;
                let data = self.data_field.map(|field| parse::field(event, field).unwrap_or(RawBsonRef::Null));
                if let Some(json) =
                    data.filter(|_| self.by_content_type).and_then(|data| content::json(event, data))
                {
                    return serde_json::from_slice(json).map_err(StoreError::poison);
                }
                decode::from_value(data.unwrap_or(RawBsonRef::Document(event)))
            }
            DataAt::Nowhere => decode::from_value(RawBsonRef::Document(document(EMPTY)?)),
        };
        decoded.map_err(StoreError::poison)
    }
}

/// The empty document.
const EMPTY: &[u8] = &[5, 0, 0, 0, 0];

//! Puts events with given positions into the collection: for examples, tests, and a move from elsewhere.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use projection_core::{Event, Position, StoreError, StreamId};
use serde::Serialize;
use time::OffsetDateTime;

use super::{EventFields, MongoEvents, document::EventDocument, milliseconds};
use crate::{
    bulk::{Statement, Verb},
    encode::AsStored,
    error::Doing,
};

/// An event with the position it is to have.
#[derive(Debug, Clone)]
pub struct ImportedEvent {
    position: Position,
    stream: StreamId,
    stream_version: u64,
    name: Arc<str>,
    id: Arc<str>,
    source: Option<Arc<str>>,
    time: Option<OffsetDateTime>,
    /// A document with one field, `data`.
    data: Vec<u8>,
}

#[derive(Serialize)]
#[serde(bound = "E: Serialize")]
struct Holder<'a, E> {
    data: AsStored<'a, E>,
}

impl ImportedEvent {
    /// `event`, under its own name, with a random id.
    ///
    /// # Errors
    ///
    /// When serde cannot write it as BSON; of the kind [`Poison`](projection_core::ErrorKind::Poison).
    pub fn new<E: Event + Serialize>(
        position: Position,
        stream: impl Into<StreamId>,
        event: &E,
    ) -> Result<Self, StoreError> {
        Self::named(E::NAME, position, stream, event)
    }

    /// An event called `name` with this data, and a random id.
    ///
    /// # Errors
    ///
    /// When serde cannot write the data as BSON; of the kind [`Poison`](projection_core::ErrorKind::Poison).
    pub fn named<D: Serialize>(
        name: impl Into<Arc<str>>,
        position: Position,
        stream: impl Into<StreamId>,
        data: &D,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            position,
            stream: stream.into(),
            stream_version: 0,
            name: name.into(),
            id: uuid::Uuid::new_v4().to_string().into(),
            source: None,
            time: None,
            data: bson::serialize_to_vec(&Holder { data: AsStored(data) }).map_err(StoreError::poison)?,
        })
    }

    /// Sets the id. It must be unique in its source.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<Arc<str>>) -> Self {
        self.id = id.into();
        self
    }

    /// Sets the system the event comes from; the default of the store's options where nothing is said.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Arc<str>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets the place in the stream, from 1.
    #[must_use]
    pub fn with_stream_version(mut self, version: u64) -> Self {
        self.stream_version = version;
        self
    }

    /// Sets when it happened. Stored as a date, so to the millisecond.
    #[must_use]
    pub fn with_time(mut self, time: OffsetDateTime) -> Self {
        self.time = Some(time);
        self
    }

    fn document(&self, fields: &EventFields, default_source: &str) -> bson::error::Result<Vec<u8>> {
        let document = EventDocument {
            id: &self.id,
            source: self.source.as_deref().unwrap_or(default_source),
            name: &self.name,
            time: self.time.map(milliseconds),
            content_type: None,
            stream: self.stream.as_str(),
            stream_version: i64::try_from(self.stream_version).unwrap_or_default(),
            position: self.position.as_i64(),
            data: &self.data,
        };
        document.encode(fields)
    }
}

impl MongoEvents {
    /// Inserts events, in chunks, durable with a majority; how many they were. Not atomic: when it fails partway, some
    /// are there. Nobody may append meanwhile; what is appended afterwards stands behind them.
    ///
    /// # Errors
    ///
    /// When a position is 0, or a position or an id is there already, or the server cannot be written to.
    pub async fn import<I>(&self, events: I) -> Result<u64, StoreError>
    where
        I: IntoIterator<Item = ImportedEvent>,
        I::IntoIter: Send,
    {
        let doing = Doing::new("importing events into", &self.target.collection);
        let count = AtomicU64::new(0);
        let events = events.into_iter();
        let expected = events.size_hint().1.unwrap_or(usize::MAX);
        let statements = events.enumerate().map(|(place, event)| {
            if event.position <= Position::START {
                let message = format!("event {} has the position 0: positions begin with 1", event.id);
                return Err((place, doing.wrong(projection_core::ErrorKind::Permanent, message)));
            }
            count.fetch_add(1, Ordering::Relaxed);
            let document = event.document(self.fields(), self.options.default_source());
            let document = document.map_err(|error| (place, doing.failed(error.into())))?;
            Ok(Statement { place, bytes: document.len(), document })
        });
        self.target.send_whole(&doing, Verb::Insert, expected, statements).await?;
        if let Some(positions) = &self.positions {
            positions.raise(self.highest().await?).await?;
        }
        Ok(count.into_inner())
    }
}

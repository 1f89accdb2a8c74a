//! Events in a MongoDB collection: one document an event.

mod fields;
mod import;
mod open;
mod options;
mod page;
mod parse;

use std::collections::{BTreeSet, HashMap};

use async_trait::async_trait;
use bson::{Bson, Document, RawDocumentBuf, doc};
use futures::StreamExt as _;
use mongodb::{Collection, Database};
use projection_core::{
    ErrorKind, EventRef, EventStore, Filter, Position, StoreError, StreamId,
    store::{SourceName, Window},
};
use time::OffsetDateTime;

pub use self::{
    fields::EventFields,
    import::ImportedEvent,
    options::MongoEventsOptions,
    page::{MongoEvent, MongoPage},
};
use crate::{bulk::Target, error::Doing};

/// How many events a page holds at most, whatever was asked: more gain nothing.
const MAX_PAGE: usize = 10_000;
/// How many events one query for positions asks for at most.
const MAX_LOCATED: usize = 10_000;

/// An event store over a collection that holds one document an event. Cheap to clone.
///
/// By default the CloudEvents attributes stand at the top level (`id`, `source`, `type`, `time`), with `streamid`,
/// `streamversion` and `position` beside them, and `data` is a document. A collection that exists is read by mapping
/// the names: [`EventFields`].
///
/// Events are read from the primary with read concern `majority`: one that a failover could undo is not seen.
///
/// **The mark is the highest position in the collection.** That is safe while nobody appends concurrently: a writer
/// that took a lower position and has not committed yet would be passed over.
#[derive(Debug, Clone)]
pub struct MongoEvents {
    collection: Collection<RawDocumentBuf>,
    target: Target,
    options: MongoEventsOptions,
    reading: Doing,
}

impl MongoEvents {
    /// Opens the store over `collection`: makes its indexes, and checks that every event has a usable position. Six
    /// round trips.
    ///
    /// # Errors
    ///
    /// When a field's name cannot be one, when an index is missing or cannot be made, when an event has no position or
    /// one that is not above 0, on a sharded cluster, or when the server cannot be reached.
    pub async fn open(
        database: &Database,
        collection: &str,
        options: MongoEventsOptions,
    ) -> Result<Self, StoreError> {
        options.fields().check().map_err(StoreError::permanent)?;
        open::refuse_sharded(database, collection).await?;
        let events = Self {
            collection: open::majority(database, collection),
            target: Target { database: database.clone(), collection: collection.to_owned() },
            options,
            reading: Doing::new("reading", collection),
        };
        open::ensure_indexes(database, collection, &events.options).await?;
        events.check_positions().await?;
        Ok(events)
    }

    fn fields(&self) -> &EventFields {
        self.options.fields()
    }

    fn query(&self, window: Window, filter: &Filter) -> Document {
        let fields = self.fields();
        let mut query = doc! { &fields.position: { "$gt": window.after.as_i64(), "$lte": window.up_to.as_i64() } };
        if let Some(names) = filter.names() {
            query.insert(&fields.name, doc! { "$in": names.iter().collect::<Vec<_>>() });
        }
        if let Some(streams) = filter.streams() {
            query.insert(&fields.stream, doc! { "$in": streams.iter().map(StreamId::as_str).collect::<Vec<_>>() });
        }
        query
    }
}

#[async_trait]
impl EventStore for MongoEvents {
    type Page = MongoPage;

    fn source(&self) -> SourceName {
        self.options.source_name().clone()
    }

    async fn mark(&self) -> Result<Position, StoreError> {
        let position = &self.fields().position;
        let last = self.collection.find_one(doc! { position: { "$gt": 0 } });
        let last = last.sort(doc! { position: -1 }).await.map_err(|error| self.reading.failed(error))?;
        match last {
            None => Ok(Position::START),
            Some(last) => parse::position_of(&last, self.fields()).map_err(|error| self.bad_event(&error)),
        }
    }

    /// One query, of one batch: a page ends where the server ends a batch, at 16 MiB. So there is no cursor that
    /// could be lost between two batches.
    async fn read(&self, window: Window, filter: &Filter, limit: usize) -> Result<MongoPage, StoreError> {
        let limit = limit.min(MAX_PAGE);
        let nothing_passes =
            filter.names().is_some_and(BTreeSet::is_empty) || filter.streams().is_some_and(BTreeSet::is_empty);
        if nothing_passes || window.after >= window.up_to {
            return Ok(MongoPage::empty(window.up_to));
        }
        let Some(batch_size) = u32::try_from(limit).ok().filter(|limit| *limit > 0) else {
            return Ok(MongoPage::empty(window.after));
        };
        let find = self.collection.find(self.query(window, filter));
        let find = find.sort(doc! { &self.fields().position: 1 }).limit(batch_size.into()).batch_size(batch_size);
        let mut batches = find.batch().await.map_err(|error| self.reading.failed(error))?;
        let Some(batch) = batches.next().await else {
            let message = "the server answered without a batch";
            return Err(self.reading.wrong(ErrorKind::Transient, message));
        };
        let batch = batch.map_err(|error| self.reading.failed(error))?;
        MongoPage::of(batch, self, window, limit)
    }

    async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError> {
        let fields = self.fields();
        let mut positions = HashMap::new();
        for some in events.chunks(MAX_LOCATED) {
            let ids: Vec<Bson> = some.iter().flat_map(|event| parse::stored_forms(&event.id)).collect();
            let mut found = self
                .collection
                .find(doc! { &fields.id: { "$in": ids } })
                .projection(doc! { &fields.id: 1, &fields.source: 1, &fields.position: 1 })
                .await
                .map_err(|error| self.reading.failed(error))?;
            while let Some(event) = found.next().await {
                let event = event.map_err(|error| self.reading.failed(error))?;
                let default = self.options.default_source();
                let named = parse::event_of(&event, fields, default).map_err(|error| self.bad_event(&error))?;
                let position = parse::position_of(&event, fields).map_err(|error| self.bad_event(&error))?;
                positions.insert(named, position);
            }
        }
        Ok(events.iter().map(|event| positions.get(event).copied()).collect())
    }

    /// Times are compared to the millisecond, whether they are stored as dates or as text.
    async fn before(&self, time: OffsetDateTime) -> Result<Position, StoreError> {
        let fields = self.fields();
        let milliseconds = i64::try_from(time.unix_timestamp_nanos().div_euclid(1_000_000)).unwrap_or(i64::MAX);
        let input = format!("${}", fields.time);
        let at = doc! { "$convert": { "input": input, "to": "date", "onError": null, "onNull": null } };
        let late = doc! { "$expr": { "$gte": [at, bson::DateTime::from_millis(milliseconds)] } };
        let first = self.collection.find_one(late).sort(doc! { &fields.position: 1 });
        let first = first.projection(doc! { &fields.position: 1 });
        match first.await.map_err(|error| self.reading.failed(error))? {
            None => self.mark().await,
            Some(first) => {
                let first = parse::position_of(&first, fields).map_err(|error| self.bad_event(&error))?;
                Position::try_from(first.as_i64() - 1).map_err(StoreError::permanent)
            }
        }
    }
}

impl MongoEvents {
    fn bad_event(&self, error: &parse::BadEvent) -> StoreError {
        self.reading.wrong(ErrorKind::Permanent, error)
    }
}

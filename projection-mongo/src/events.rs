//! Events in a MongoDB collection: one document an event.

mod append;
mod content;
mod document;
mod fields;
mod filling;
mod import;
mod open;
mod options;
mod others;
mod page;
mod parse;
mod positions;
mod wake;

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use async_trait::async_trait;
use bson::{Bson, Document, RawDocumentBuf, doc};
use futures::StreamExt as _;
use mongodb::{ClientSession, Collection, Database};
use projection_core::{
    ErrorKind, EventRef, EventStore, Filter, Position, StoreError, StreamId,
    store::{SourceName, WakeUp, Window},
};
use time::OffsetDateTime;

use self::{
    append::Queue,
    others::Others,
    positions::{Positions, Seen},
};
pub use self::{
    fields::EventFields,
    filling::Filling,
    import::ImportedEvent,
    options::MongoEventsOptions,
    page::{MongoEvent, MongoPage},
    positions::Reservation,
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
/// Events are read from the primary with read concern `majority`: one that a failover could undo is not seen. What is
/// read is never older than the mark that was read before, also after a failover.
///
/// **Events are appended** ([`AppendEvents`](projection_core::append::AppendEvents), [`append_in`](Self::append_in)) where
/// the fields are the default ones, or [`appending`](MongoEventsOptions::appending) says so, and the server is a replica
/// set. Then no event that may still commit stands at or below the mark. Each process that appends has to use this crate.
///
/// **Otherwise others write, and the mark stands below the lowest position that is still empty** ([`Filling`]). One that
/// stays empty for longer than the horizon is taken for one that never will be filled. An event that comes there later is
/// told of, loudly ([`late_arrivals`](Self::late_arrivals)); that is as much as can be promised of positions that are given
/// out before the transaction that uses them.
#[derive(Debug, Clone)]
pub struct MongoEvents {
    collection: Collection<RawDocumentBuf>,
    target: Target,
    options: MongoEventsOptions,
    /// `None`: the collection is written by others.
    positions: Option<Positions>,
    /// Where others write, in any order.
    others: Option<Arc<Others>>,
    /// Why nothing can be appended.
    refusal: Option<Arc<str>>,
    seen: Arc<Seen>,
    queue: Arc<Queue>,
    reading: Doing,
    appending: Doing,
}

impl MongoEvents {
    /// Opens the store over `collection`: makes its indexes, and checks that every event has a usable position. Where
    /// events are appended, makes the collection `<collection>.positions`. Six round trips; four more for appending.
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
        options.check().map_err(StoreError::permanent)?;
        let server = open::Server::of(database, collection).await?;
        let seen = Arc::<Seen>::default();
        let owner = Arc::clone(options.owner());
        let positions = Positions::new(database, collection, owner, options.commit_within(), Arc::clone(&seen));
        let mut events = Self {
            collection: open::majority(database, collection),
            target: Target { database: database.clone(), collection: collection.to_owned() },
            options,
            positions: None,
            others: None,
            refusal: None,
            seen,
            queue: Arc::default(),
            reading: Doing::new("reading", collection),
            appending: Doing::new("appending to", collection),
        };
        open::ensure_indexes(database, collection, &events.options).await?;
        events.check_positions().await?;
        events.prepare_appending(server, positions).await?;
        if let (None, Filling::Late { horizon }) = (&events.positions, events.options.filling()) {
            events.others = Some(Others::new(horizon));
        }
        Ok(events)
    }

    /// How many events this store and its clones have seen come later than the horizon allows, since it was opened: each
    /// was passed over by readers. They are seen by the change stream, so only while a runtime listens, and on a replica
    /// set. No round trip.
    #[must_use]
    pub fn late_arrivals(&self) -> u64 {
        self.others.as_ref().map_or(0, |others| others.late())
    }

    /// The appends that hold the mark, the oldest first: those that have taken a position and have not committed yet.
    /// One round trip.
    ///
    /// # Errors
    ///
    /// When the server cannot be read.
    pub async fn holding(&self) -> Result<Vec<Reservation>, StoreError> {
        let Some(positions) = &self.positions else { return Ok(Vec::new()) };
        positions.holding(&mut self.session().await?).await
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

    /// A session that reads nothing which is older than what was seen. No round trip.
    async fn session(&self) -> Result<ClientSession, StoreError> {
        let session = self.target.database.client().start_session().await;
        let mut session = session.map_err(|error| self.reading.failed(error))?;
        self.seen.advance(&mut session);
        Ok(session)
    }

    /// The highest position in the collection.
    async fn highest(&self) -> Result<Position, StoreError> {
        let position = &self.fields().position;
        let mut session = self.session().await?;
        let last = self.collection.find_one(doc! { position: { "$gt": 0 } }).sort(doc! { position: -1 });
        let last = last.session(&mut session).await.map_err(|error| self.reading.failed(error))?;
        self.seen.remember(&session);
        match last {
            None => Ok(Position::START),
            Some(last) => parse::position_of(&last, self.fields()).map_err(|error| self.bad_event(&error)),
        }
    }

    /// One query, of one batch: a page ends where the server ends a batch, at 16 MiB. So there is no cursor that could
    /// be lost between two batches.
    async fn page(&self, query: Document, by: &str, window: Window, limit: usize) -> Result<MongoPage, StoreError> {
        let limit = limit.min(MAX_PAGE);
        let Some(batch_size) = u32::try_from(limit).ok().filter(|limit| *limit > 0) else {
            return Ok(MongoPage::empty(window.after));
        };
        let mut session = self.session().await?;
        let find = self.collection.find(query).sort(doc! { by: 1 }).limit(batch_size.into()).batch_size(batch_size);
        let mut batches = find.session(&mut session).batch().await.map_err(|error| self.reading.failed(error))?;
        let Some(batch) = batches.stream(&mut session).next().await else {
            let message = "the server answered without a batch";
            return Err(self.reading.wrong(ErrorKind::Transient, message));
        };
        let batch = batch.map_err(|error| self.reading.failed(error))?;
        MongoPage::of(batch, self, window, limit)
    }

    fn bad_event(&self, error: &parse::BadEvent) -> StoreError {
        self.reading.wrong(ErrorKind::Permanent, error)
    }
}

#[async_trait]
impl EventStore for MongoEvents {
    type Page = MongoPage;

    fn source(&self) -> SourceName {
        self.options.source_name().clone()
    }

    /// One round trip; more when an append is older than it should be, and is given up. Two where others write.
    async fn mark(&self) -> Result<Position, StoreError> {
        match (&self.positions, &self.others) {
            (Some(positions), _) => positions.mark(&mut self.session().await?).await,
            (None, Some(others)) => self.mark_of(others).await,
            (None, None) => self.highest().await,
        }
    }

    async fn read(&self, window: Window, filter: &Filter, limit: usize) -> Result<MongoPage, StoreError> {
        let nothing_passes =
            filter.names().is_some_and(BTreeSet::is_empty) || filter.streams().is_some_and(BTreeSet::is_empty);
        if nothing_passes || window.after >= window.up_to {
            return Ok(MongoPage::empty(window.up_to));
        }
        self.page(self.query(window, filter), &self.fields().position, window, limit).await
    }

    async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError> {
        let fields = self.fields();
        let mut positions = HashMap::new();
        let mut session = self.session().await?;
        for some in events.chunks(MAX_LOCATED) {
            let ids: Vec<Bson> = some.iter().flat_map(|event| parse::stored_forms(&event.id)).collect();
            let mut found = self
                .collection
                .find(doc! { &fields.id: { "$in": ids } })
                .projection(doc! { &fields.id: 1, &fields.source: 1, &fields.position: 1 })
                .session(&mut session)
                .await
                .map_err(|error| self.reading.failed(error))?;
            while let Some(event) = found.next(&mut session).await {
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
        // Taken first: beyond it, an earlier event may still commit.
        let mark = self.mark().await?;
        let input = format!("${}", fields.time);
        let at = doc! { "$convert": { "input": input, "to": "date", "onError": null, "onNull": null } };
        let late = doc! { "$expr": { "$gte": [at, bson::DateTime::from_millis(milliseconds(time))] } };
        let mut session = self.session().await?;
        let first = self.collection.find_one(late).sort(doc! { &fields.position: 1 });
        let first = first.projection(doc! { &fields.position: 1 }).session(&mut session);
        let Some(first) = first.await.map_err(|error| self.reading.failed(error))? else { return Ok(mark) };
        let first = parse::position_of(&first, fields).map_err(|error| self.bad_event(&error))?;
        Position::try_from(first.as_i64() - 1).map(|before| before.min(mark)).map_err(StoreError::permanent)
    }

    /// Told by a change stream; `None` on a standalone server, which has none.
    async fn wake_up(&self) -> Result<Option<Box<dyn WakeUp>>, StoreError> {
        wake::listen(self).await
    }

    async fn held_by(&self) -> Result<Option<String>, StoreError> {
        if let Some((position, since, horizon)) = self.others.as_ref().and_then(|others| others.held()) {
            return Ok(Some(format!(
                "position {position}, which is still empty and has been for {since:.1?}; it is passed once {horizon:?} \
                 have gone by since a higher one was seen"
            )));
        }
        Ok(self.holding().await?.first().map(|oldest| {
            let Reservation { owner, low, since, .. } = oldest;
            format!("an append of {owner} that has positions above {low} since {since} and has not committed yet")
        }))
    }
}

/// In milliseconds since 1970.
fn milliseconds(time: OffsetDateTime) -> i64 {
    i64::try_from(time.unix_timestamp_nanos().div_euclid(1_000_000)).unwrap_or(i64::MAX)
}

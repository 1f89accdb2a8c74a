//! An event store in memory.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
};

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    NewEvent,
    page::{InMemoryPage, Recorded},
};
use crate::{
    EventMetadata, EventRef, EventStore, Filter, Position, StoreError, StreamId,
    store::{SourceName, Window},
};

/// An event store in memory. Positions run from 1 without gaps. A clone is the same store.
#[derive(Debug, Clone, Default)]
pub struct InMemoryEventStore {
    source: SourceName,
    log: Arc<RwLock<Log>>,
}

#[derive(Debug, Default)]
struct Log {
    events: Vec<Arc<Recorded>>,
    versions: HashMap<StreamId, u64>,
    positions: HashMap<EventRef, Position>,
}

/// An event whose source and id another event has (spec: P24).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {0} is there already: source and id together must be unique")]
struct DuplicateEvent(EventRef);

impl InMemoryEventStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty store whose order of positions has this name.
    #[must_use]
    pub fn with_source(source: SourceName) -> Self {
        Self { source, ..Self::default() }
    }

    /// Appends to the stream, all of `events` or none, and gives the position of the store's last event.
    ///
    /// # Errors
    ///
    /// When an event's source and id are there already.
    pub fn append(
        &self,
        stream: impl Into<StreamId>,
        events: impl IntoIterator<Item = NewEvent>,
    ) -> Result<Position, StoreError> {
        let stream = stream.into();
        let named: Vec<(EventRef, NewEvent)> = events.into_iter().map(|event| (self.name(&event), event)).collect();

        let mut log = self.log.write().unwrap_or_else(PoisonError::into_inner);
        let mut seen = HashSet::new();
        for (event, _) in &named {
            if log.positions.contains_key(event) || !seen.insert(event) {
                return Err(StoreError::permanent(DuplicateEvent(event.clone())));
            }
        }
        for (event, new) in named {
            log.push(&stream, event, new)?;
        }
        log.last()
    }

    fn name(&self, event: &NewEvent) -> EventRef {
        let source = event.source.clone().unwrap_or_else(|| self.source.as_str().into());
        EventRef { source, id: Arc::clone(&event.id) }
    }

    fn read_log(&self) -> RwLockReadGuard<'_, Log> {
        self.log.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    fn last(&self) -> Result<Position, StoreError> {
        // A `usize` always fits here: there is no memory for more events than an `i64` counts.
        Position::try_from(self.events.len() as u64).map_err(StoreError::permanent)
    }

    fn push(&mut self, stream: &StreamId, event: EventRef, new: NewEvent) -> Result<(), StoreError> {
        let position = Position::try_from(self.events.len() as u64 + 1).map_err(StoreError::permanent)?;
        let version = self.versions.entry(stream.clone()).or_default();
        *version += 1;
        let metadata = EventMetadata::new(position, event.clone(), new.name, stream.clone())
            .with_stream_version(*version)
            .with_time(new.time.unwrap_or_else(OffsetDateTime::now_utc));
        self.positions.insert(event, position);
        self.events.push(Arc::new(Recorded { metadata, data: new.data }));
        Ok(())
    }

    fn first_after(&self, position: Position) -> usize {
        self.events.partition_point(|event| event.metadata.position() <= position)
    }
}

#[async_trait]
impl EventStore for InMemoryEventStore {
    type Page = InMemoryPage;

    fn source(&self) -> SourceName {
        self.source.clone()
    }

    async fn mark(&self) -> Result<Position, StoreError> {
        self.read_log().last()
    }

    async fn read(&self, window: Window, filter: &Filter, limit: usize) -> Result<InMemoryPage, StoreError> {
        let log = self.read_log();
        let (from, to) = (log.first_after(window.after), log.first_after(window.up_to));
        let mut matching = log.events[from..to.max(from)]
            .iter()
            .filter(|event| filter.matches(event.metadata.name(), event.metadata.stream_id()));
        let events: Vec<_> = matching.by_ref().take(limit).cloned().collect();
        let last = events.last().map_or(window.after, |event| event.metadata.position());
        let covers = if matching.next().is_some() { last } else { window.up_to };
        Ok(InMemoryPage { events, covers })
    }

    async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError> {
        let log = self.read_log();
        Ok(events.iter().map(|event| log.positions.get(event).copied()).collect())
    }
}

//! An event store in memory.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
};

use async_trait::async_trait;
use time::{OffsetDateTime, UtcOffset};
use tokio::sync::watch;

use super::page::{InMemoryPage, Recorded};
use crate::{
    EventMetadata, EventRef, EventStore, Filter, Position, StoreError, StreamId,
    append::{AppendError, AppendEvents, Appended, ExpectedVersion, NewEvent, StreamAppend},
    store::{SourceName, WakeUp, Window},
};

/// An event store in memory. Positions run from 1 without gaps. A clone is the same store.
#[derive(Debug, Clone, Default)]
pub struct InMemoryEventStore {
    source: SourceName,
    log: Arc<RwLock<Log>>,
    appended: Arc<watch::Sender<()>>,
}

#[derive(Debug, Default)]
struct Log {
    events: Vec<Arc<Recorded>>,
    streams: HashMap<StreamId, Vec<Arc<Recorded>>>,
    positions: HashMap<EventRef, Position>,
}

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

    /// Appends to a stream whatever its version, all of `events` or none, and gives the position of the store's last
    /// event. [`AppendEvents::append`], without waiting and without an expectation.
    ///
    /// # Errors
    ///
    /// When an event's source and id are there already.
    pub fn record(
        &self,
        stream: impl Into<StreamId>,
        events: impl IntoIterator<Item = NewEvent>,
    ) -> Result<Position, AppendError> {
        self.write(vec![StreamAppend::new(stream, ExpectedVersion::Any, events)])?;
        Ok(self.read_log().last()?)
    }

    fn write(&self, appends: Vec<StreamAppend>) -> Result<Appended, AppendError> {
        let mut log = self.log.write().unwrap_or_else(PoisonError::into_inner);
        log.check(&appends, &self.source)?;
        let (before, mut versions) = (log.last()?, Vec::new());
        for append in appends {
            for event in append.events {
                log.push(&append.stream, event.event(&self.source), event)?;
            }
            let version = log.version(&append.stream);
            versions.push((append.stream, version));
        }
        let last = log.last()?;
        let (before, last) = if before == last { (Position::START, Position::START) } else { (before, last) };
        self.appended.send_replace(());
        Ok(Appended::new(self.source.clone(), before, last, versions))
    }

    fn read_log(&self) -> RwLockReadGuard<'_, Log> {
        self.log.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    /// Refuses what cannot be appended as a whole.
    fn check(&self, appends: &[StreamAppend], source: &SourceName) -> Result<(), AppendError> {
        let (mut seen, mut grown) = (HashSet::new(), HashMap::new());
        for StreamAppend { stream, expected, events } in appends {
            let grown: &mut u64 = grown.entry(stream).or_default();
            let actual = self.version(stream) + *grown;
            if !expected.accepts(actual) {
                return Err(AppendError::Conflict { stream: stream.clone(), expected: *expected, actual });
            }
            *grown += events.len() as u64;
            for event in events.iter().map(|event| event.event(source)) {
                if self.positions.contains_key(&event) || !seen.insert(event.clone()) {
                    return Err(AppendError::Duplicate(event));
                }
            }
        }
        Ok(())
    }

    fn version(&self, stream: &StreamId) -> u64 {
        self.streams.get(stream).map_or(0, |events| events.len() as u64)
    }

    fn last(&self) -> Result<Position, StoreError> {
        // A `usize` always fits here: there is no memory for more events than an `i64` counts.
        Position::try_from(self.events.len() as u64).map_err(StoreError::permanent)
    }

    fn push(&mut self, stream: &StreamId, event: EventRef, new: NewEvent) -> Result<(), StoreError> {
        let position = Position::try_from(self.events.len() as u64 + 1).map_err(StoreError::permanent)?;
        let stream_events = self.streams.entry(stream.clone()).or_default();
        let metadata = EventMetadata::new(position, event.clone(), Arc::clone(new.name()), stream.clone())
            .with_stream_version(stream_events.len() as u64 + 1)
            .with_time(new.time().unwrap_or_else(OffsetDateTime::now_utc).to_offset(UtcOffset::UTC));
        let recorded = Arc::new(Recorded { metadata, data: new.into_data() });
        stream_events.push(Arc::clone(&recorded));
        self.positions.insert(event, position);
        self.events.push(recorded);
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

    async fn before(&self, time: OffsetDateTime) -> Result<Position, StoreError> {
        let log = self.read_log();
        let first = log.events.iter().find(|event| event.metadata.time().is_some_and(|at| at >= time));
        first.map_or_else(|| log.last(), |first| Ok(first.metadata.position().before()))
    }

    async fn wake_up(&self) -> Result<Option<Box<dyn WakeUp>>, StoreError> {
        Ok(Some(Box::new(Woken(self.appended.subscribe()))))
    }
}

struct Woken(watch::Receiver<()>);

#[async_trait]
impl WakeUp for Woken {
    async fn woken(&mut self) -> Result<(), StoreError> {
        // The store is kept by whoever reads it.
        self.0.changed().await.map_err(StoreError::permanent)
    }
}

#[async_trait]
impl AppendEvents for InMemoryEventStore {
    async fn append_all(&self, appends: Vec<StreamAppend>) -> Result<Appended, AppendError> {
        self.write(appends)
    }

    async fn read_stream(&self, stream: &StreamId, after: u64, limit: usize) -> Result<InMemoryPage, StoreError> {
        let log = self.read_log();
        let events = log.streams.get(stream).map_or(&[][..], Vec::as_slice);
        let after = usize::try_from(after).unwrap_or(usize::MAX);
        let events: Vec<_> = events.iter().skip(after).take(limit).cloned().collect();
        let covers = events.last().map_or(Position::START, |event| event.metadata.position());
        Ok(InMemoryPage { events, covers })
    }
}

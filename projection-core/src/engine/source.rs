//! The event store behind a view, with its type erased once a page.

use std::{sync::Arc, time::Instant};

use async_trait::async_trait;
use time::OffsetDateTime;

use super::decode::{DecodedPage, Decoders, Payload};
use crate::{
    EventRef, Filter, Position, StoreError,
    store::{EventPage, EventStore, SourceName, Window},
};

#[async_trait]
pub(crate) trait Source: Send + Sync {
    fn name(&self) -> SourceName;
    fn filter(&self) -> &Filter;
    async fn mark(&self) -> Result<Position, StoreError>;
    async fn read(&self, window: Window, limit: usize) -> Result<DecodedPage, StoreError>;
    /// Like `read`, and never from a page that was read before.
    async fn read_anew(&self, window: Window, limit: usize) -> Result<DecodedPage, StoreError>;
    async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError>;
    async fn before(&self, time: OffsetDateTime) -> Result<Position, StoreError>;
    async fn held_by(&self) -> Result<Option<String>, StoreError>;
    fn decode_json(&self, name: &str, data: &serde_json::Value) -> Option<Result<Payload, StoreError>>;
}

/// A store, what is read of it, and how that is decoded.
pub(crate) struct StoreSource<S: EventStore> {
    store: Arc<S>,
    filter: Filter,
    decoders: Decoders<S>,
}

impl<S: EventStore> StoreSource<S> {
    /// Narrows `filter` to the names that are decoded.
    pub(crate) fn new(store: Arc<S>, filter: Filter, decoders: Decoders<S>) -> Self {
        let filter = filter.with_names(decoders.names());
        Self { store, filter, decoders }
    }
}

#[async_trait]
impl<S: EventStore> Source for StoreSource<S> {
    fn name(&self) -> SourceName {
        self.store.source()
    }

    fn filter(&self) -> &Filter {
        &self.filter
    }

    async fn mark(&self) -> Result<Position, StoreError> {
        self.store.mark().await
    }

    async fn read(&self, window: Window, limit: usize) -> Result<DecodedPage, StoreError> {
        let started = Instant::now();
        let page = self.store.read(window, &self.filter, limit).await?;
        let read = started.elapsed();
        let events = page.events().map(|raw| Arc::new(self.decoders.event(&raw))).collect();
        Ok(DecodedPage { events, covers: page.covers(), read, decode: started.elapsed() - read })
    }

    async fn read_anew(&self, window: Window, limit: usize) -> Result<DecodedPage, StoreError> {
        self.read(window, limit).await
    }

    async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError> {
        self.store.locate(events).await
    }

    async fn before(&self, time: OffsetDateTime) -> Result<Position, StoreError> {
        self.store.before(time).await
    }

    async fn held_by(&self) -> Result<Option<String>, StoreError> {
        self.store.held_by().await
    }

    fn decode_json(&self, name: &str, data: &serde_json::Value) -> Option<Result<Payload, StoreError>> {
        self.decoders.json(name, data)
    }
}

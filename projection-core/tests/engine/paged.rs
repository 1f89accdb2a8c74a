//! An event store whose pages are small, so that a short history has many.

use async_trait::async_trait;
use projection_core::{
    EventRef, EventStore, Filter, Position, StoreError,
    memory::{InMemoryEventStore, InMemoryPage},
    store::{SourceName, Window},
};

/// Reads `limit` events at once, whatever is asked.
#[derive(Clone)]
pub(crate) struct Paged {
    pub events: InMemoryEventStore,
    pub limit: usize,
}

#[async_trait]
impl EventStore for Paged {
    type Page = InMemoryPage;

    fn source(&self) -> SourceName {
        self.events.source()
    }

    async fn mark(&self) -> Result<Position, StoreError> {
        self.events.mark().await
    }

    async fn read(&self, window: Window, filter: &Filter, limit: usize) -> Result<InMemoryPage, StoreError> {
        self.events.read(window, filter, limit.min(self.limit)).await
    }

    async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError> {
        self.events.locate(events).await
    }
}

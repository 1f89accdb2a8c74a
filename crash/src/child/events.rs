//! An event store whose calls are steps.

use std::sync::Arc;

use async_trait::async_trait;
use projection_core::{
    EventRef, EventStore, Filter, Position, StoreError,
    store::{SourceName, WakeUp, Window},
};

use super::steps::Steps;

pub(super) struct SteppedEvents<E> {
    inner: E,
    steps: Arc<Steps>,
}

impl<E> SteppedEvents<E> {
    pub(super) fn new(inner: E, steps: Arc<Steps>) -> Self {
        Self { inner, steps }
    }
}

#[async_trait]
impl<E: EventStore> EventStore for SteppedEvents<E> {
    type Page = E::Page;

    fn source(&self) -> SourceName {
        self.inner.source()
    }

    async fn mark(&self) -> Result<Position, StoreError> {
        self.steps.around("mark", "", self.inner.mark()).await
    }

    async fn read(&self, window: Window, filter: &Filter, limit: usize) -> Result<E::Page, StoreError> {
        self.steps.around("read", "", self.inner.read(window, filter, limit)).await
    }

    async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError> {
        self.inner.locate(events).await
    }

    async fn wake_up(&self) -> Result<Option<Box<dyn WakeUp>>, StoreError> {
        self.inner.wake_up().await
    }
}

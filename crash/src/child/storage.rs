//! A checkpoint storage whose calls are steps.

use std::sync::Arc;

use async_trait::async_trait;
use projection_core::{
    CheckpointStorage, StoreError,
    store::{Checkpoint, CheckpointKey, ParkedInstance, SkippedEvent},
};

use super::steps::{Steps, name_of};
use crate::journal::What;

pub(super) struct SteppedCheckpoints {
    inner: Arc<dyn CheckpointStorage>,
    steps: Arc<Steps>,
}

impl SteppedCheckpoints {
    pub(super) fn new(inner: Arc<dyn CheckpointStorage>, steps: Arc<Steps>) -> Self {
        Self { inner, steps }
    }
}

#[async_trait]
impl CheckpointStorage for SteppedCheckpoints {
    async fn load(&self, projection: &str) -> Result<Vec<Checkpoint>, StoreError> {
        let load = async {
            let found = self.inner.load(projection).await?;
            let from = found.first().map_or(0, |checkpoint| checkpoint.position.as_i64());
            self.steps.note(What::Resumes { projection: projection.to_owned(), from });
            Ok(found)
        };
        self.steps.around("load checkpoint", name_of(projection), load).await
    }

    async fn save(&self, checkpoints: &[Checkpoint]) -> Result<(), StoreError> {
        let projection = checkpoints.first().map_or("", |checkpoint| name_of(&checkpoint.key.projection));
        self.steps.around("save checkpoint", projection, self.inner.save(checkpoints)).await
    }

    async fn remove(&self, projection: &str, version: u32) -> Result<(), StoreError> {
        self.inner.remove(projection, version).await
    }

    async fn record_skipped(&self, skipped: &[SkippedEvent]) -> Result<(), StoreError> {
        self.inner.record_skipped(skipped).await
    }

    async fn park(&self, parked: &[ParkedInstance]) -> Result<(), StoreError> {
        self.inner.park(parked).await
    }

    async fn parked(&self, projection: &str) -> Result<Vec<ParkedInstance>, StoreError> {
        self.steps.around("load parked", name_of(projection), self.inner.parked(projection)).await
    }

    async fn unpark(&self, key: &CheckpointKey, instance: &str) -> Result<(), StoreError> {
        self.inner.unpark(key, instance).await
    }

    async fn skipped(&self, projection: &str) -> Result<Vec<SkippedEvent>, StoreError> {
        self.inner.skipped(projection).await
    }
}

//! Checkpoints in memory.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;

use super::repository::Database;
use crate::{
    CheckpointStorage, EventRef, StoreError,
    store::{Checkpoint, CheckpointKey, ParkedInstance, SkippedEvent},
};

/// What is stored of checkpoints.
#[derive(Debug, Default)]
pub(super) struct CheckpointTable {
    checkpoints: BTreeMap<CheckpointKey, Checkpoint>,
    skipped: BTreeMap<SkippedKey, SkippedEvent>,
    parked: BTreeMap<(CheckpointKey, String), ParkedInstance>,
}

type SkippedKey = (CheckpointKey, crate::Position, Option<String>, Arc<str>, Arc<str>);

impl CheckpointTable {
    pub(super) fn save(&mut self, checkpoint: &Checkpoint) {
        self.checkpoints.insert(checkpoint.key.clone(), checkpoint.clone());
    }

    fn record_skipped(&mut self, skipped: &SkippedEvent) {
        let EventRef { source, id } = skipped.event.clone();
        let key = (skipped.key.clone(), skipped.position, skipped.instance.clone(), source, id);
        self.skipped.entry(key).or_insert_with(|| skipped.clone());
    }
}

/// Keeps checkpoints in memory. A clone is the same storage.
#[derive(Debug, Clone, Default)]
pub struct InMemoryCheckpoints {
    database: Arc<Mutex<Database>>,
}

impl InMemoryCheckpoints {
    /// An empty storage.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The checkpoints that a view store holds.
    pub(super) fn of(database: Arc<Mutex<Database>>) -> Self {
        Self { database }
    }

    fn lock(&self) -> MutexGuard<'_, Database> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl CheckpointStorage for InMemoryCheckpoints {
    async fn load(&self, projection: &str) -> Result<Vec<Checkpoint>, StoreError> {
        let database = self.lock();
        let all = database.checkpoints.checkpoints.values();
        Ok(all.filter(|checkpoint| checkpoint.key.projection == projection).cloned().collect())
    }

    async fn save(&self, checkpoints: &[Checkpoint]) -> Result<(), StoreError> {
        let mut database = self.lock();
        for checkpoint in checkpoints {
            let fence = checkpoint.fence.as_ref();
            if fence.is_some_and(|fence| !database.leases.admits(&checkpoint.key.projection, fence)) {
                return Err(StoreError::conflict("the checkpoint is of a former owner"));
            }
        }
        checkpoints.iter().for_each(|checkpoint| database.checkpoints.save(checkpoint));
        Ok(())
    }

    async fn remove(&self, projection: &str, version: u32) -> Result<(), StoreError> {
        let mut database = self.lock();
        let others = |key: &CheckpointKey| key.projection != projection || key.version != version;
        database.checkpoints.checkpoints.retain(|key, _| others(key));
        database.checkpoints.skipped.retain(|(key, ..), _| others(key));
        database.checkpoints.parked.retain(|(key, _), _| others(key));
        Ok(())
    }

    async fn record_skipped(&self, skipped: &[SkippedEvent]) -> Result<(), StoreError> {
        let mut database = self.lock();
        skipped.iter().for_each(|skipped| database.checkpoints.record_skipped(skipped));
        Ok(())
    }

    async fn park(&self, parked: &[ParkedInstance]) -> Result<(), StoreError> {
        let mut database = self.lock();
        for parked in parked {
            let key = (parked.key.clone(), parked.instance.clone());
            database.checkpoints.parked.insert(key, parked.clone());
        }
        Ok(())
    }

    async fn parked(&self, projection: &str) -> Result<Vec<ParkedInstance>, StoreError> {
        let database = self.lock();
        let all = database.checkpoints.parked.values();
        let mut parked: Vec<_> = all.filter(|parked| parked.key.projection == projection).cloned().collect();
        parked.sort_by_key(|parked| parked.from);
        Ok(parked)
    }

    async fn unpark(&self, key: &CheckpointKey, instance: &str) -> Result<(), StoreError> {
        self.lock().checkpoints.parked.remove(&(key.clone(), instance.to_owned()));
        Ok(())
    }

    async fn skipped(&self, projection: &str) -> Result<Vec<SkippedEvent>, StoreError> {
        let database = self.lock();
        let all = database.checkpoints.skipped.values();
        let mut skipped: Vec<_> = all.filter(|skipped| skipped.key.projection == projection).cloned().collect();
        skipped.sort_by_key(|skipped| skipped.position);
        Ok(skipped)
    }
}

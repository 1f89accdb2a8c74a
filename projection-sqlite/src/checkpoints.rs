//! Checkpoints in a file, and the records of what they pass over.

mod parked;
mod rows;

use async_trait::async_trait;
use projection_core::{
    CheckpointStorage, StoreError,
    store::{Checkpoint, CheckpointKey, Fence, ParkedInstance, SkippedEvent},
};
use rusqlite::{Transaction, params};

pub(crate) use self::rows::{CHECKPOINTS, newer_epoch, store};
use self::{
    parked::PARKED,
    rows::{SKIPPED, record},
};
use crate::{database::Database, error::Doing};

/// Keeps checkpoints in the table `projection.checkpoints`, what they pass over in
/// `projection.skipped` and `projection.parked`.
/// Cheap to clone.
///
/// A checkpoint of a former owner, whose fence has a lower epoch than the stored one, is refused: a
/// [`Conflict`](projection_core::ErrorKind::Conflict).
#[derive(Debug, Clone)]
pub struct SqliteCheckpoints {
    database: Database,
}

/// A former owner tried to store a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the newest owner of `{projection}` has epoch {stored}, and {owner} has epoch {epoch}: it is no longer the \
     owner"
)]
struct FormerOwner {
    projection: String,
    owner: String,
    epoch: i64,
    stored: i64,
}

impl SqliteCheckpoints {
    pub(crate) fn new(database: Database) -> Self {
        Self { database }
    }
}

#[async_trait]
impl CheckpointStorage for SqliteCheckpoints {
    async fn load(&self, projection: &str) -> Result<Vec<Checkpoint>, StoreError> {
        let (projection, doing) = (projection.to_owned(), Doing::new("reading", CHECKPOINTS));
        let load = {
            let doing = doing.clone();
            move |transaction: &Transaction<'_>| rows::load(transaction, &projection).map_err(|e| doing.failed(e))
        };
        self.database.read(&doing, load).await
    }

    async fn save(&self, checkpoints: &[Checkpoint]) -> Result<(), StoreError> {
        if checkpoints.is_empty() {
            return Ok(());
        }
        let (checkpoints, doing) = (checkpoints.to_vec(), Doing::new("writing to", CHECKPOINTS));
        let save = {
            let doing = doing.clone();
            move |transaction: &mut Transaction<'_>| {
                for checkpoint in &checkpoints {
                    let newer = newer_epoch(transaction, checkpoint).map_err(|error| doing.failed(error))?;
                    if let (Some(stored), Some(Fence { owner, epoch, .. })) = (newer, checkpoint.fence.clone()) {
                        let projection = checkpoint.key.projection.clone();
                        return Err(StoreError::conflict(FormerOwner { projection, owner, epoch, stored }));
                    }
                    store(transaction, checkpoint).map_err(|error| doing.failed(error))?;
                }
                Ok(())
            }
        };
        self.database.write(&doing, save).await
    }

    async fn remove(&self, projection: &str, version: u32) -> Result<(), StoreError> {
        let (projection, doing) = (projection.to_owned(), Doing::new("deleting from", CHECKPOINTS));
        let remove = {
            let doing = doing.clone();
            move |transaction: &mut Transaction<'_>| {
                for table in [CHECKPOINTS, SKIPPED, PARKED] {
                    let delete = format!(r#"DELETE FROM "{table}" WHERE projection = ?1 AND version = ?2"#);
                    transaction.execute(&delete, params![projection, version]).map_err(|e| doing.failed(e))?;
                }
                Ok(())
            }
        };
        self.database.write(&doing, remove).await
    }

    async fn record_skipped(&self, skipped: &[SkippedEvent]) -> Result<(), StoreError> {
        if skipped.is_empty() {
            return Ok(());
        }
        let (skipped, doing) = (skipped.to_vec(), Doing::new("writing to", SKIPPED));
        let record_all = {
            let doing = doing.clone();
            move |transaction: &mut Transaction<'_>| {
                let recorded = skipped.iter().try_for_each(|skipped| record(transaction, skipped));
                recorded.map_err(|error| doing.failed(error))
            }
        };
        self.database.write(&doing, record_all).await
    }

    async fn skipped(&self, projection: &str) -> Result<Vec<SkippedEvent>, StoreError> {
        let (projection, doing) = (projection.to_owned(), Doing::new("reading", SKIPPED));
        let skipped = {
            let doing = doing.clone();
            move |transaction: &Transaction<'_>| {
                rows::skipped(transaction, &projection).map_err(|error| doing.failed(error))
            }
        };
        self.database.read(&doing, skipped).await
    }

    async fn park(&self, parked: &[ParkedInstance]) -> Result<(), StoreError> {
        if parked.is_empty() {
            return Ok(());
        }
        let (parked, doing) = (parked.to_vec(), Doing::new("writing to", PARKED));
        let park_all = {
            let doing = doing.clone();
            move |transaction: &mut Transaction<'_>| {
                let recorded = parked.iter().try_for_each(|parked| parked::park(transaction, parked));
                recorded.map_err(|error| doing.failed(error))
            }
        };
        self.database.write(&doing, park_all).await
    }

    async fn parked(&self, projection: &str) -> Result<Vec<ParkedInstance>, StoreError> {
        let (projection, doing) = (projection.to_owned(), Doing::new("reading", PARKED));
        let parked = {
            let doing = doing.clone();
            move |transaction: &Transaction<'_>| {
                parked::parked(transaction, &projection).map_err(|error| doing.failed(error))
            }
        };
        self.database.read(&doing, parked).await
    }

    async fn unpark(&self, key: &CheckpointKey, instance: &str) -> Result<(), StoreError> {
        let (key, instance, doing) = (key.clone(), instance.to_owned(), Doing::new("deleting from", PARKED));
        let unpark = {
            let doing = doing.clone();
            move |transaction: &mut Transaction<'_>| {
                parked::unpark(transaction, &key, &instance).map_err(|error| doing.failed(error))
            }
        };
        self.database.write(&doing, unpark).await
    }
}

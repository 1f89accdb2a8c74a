//! Checkpoints in MongoDB, and the records of what they pass over: skipped events, parked instances.

mod documents;
mod put;

use async_trait::async_trait;
use bson::doc;
use futures::TryStreamExt as _;
use mongodb::{Collection, Database};
use projection_core::{
    CheckpointStorage, ErrorKind, StoreError,
    store::{Checkpoint, CheckpointKey, ParkedInstance, SkippedEvent},
};
use serde::de::DeserializeOwned;

use self::{
    documents::{CheckpointDocument, ParkedDocument, SkippedDocument, parked_id},
    put::{How, Put, put},
};
use crate::{
    bulk::{Statement, Target, Verb},
    error::Doing,
    fences::{FENCES, Fences},
    find,
    writer::Writer,
};

/// The collection of checkpoints, where nothing else is said.
pub(crate) const CHECKPOINTS: &str = "projection.checkpoints";
/// The collection of records of skipped events, where nothing else is said.
pub(crate) const SKIPPED: &str = "projection.skipped";
/// The collection of parked instances, where nothing else is said.
pub(crate) const PARKED: &str = "projection.parked";

/// Keeps checkpoints in a MongoDB database: one document for each (projection, version, partition), one for each event
/// that was skipped, one for each parked instance. Written with the write concern `majority`.
#[derive(Debug, Clone)]
pub struct MongoCheckpoints {
    checkpoints: Target,
    skipped: Target,
    parked: Target,
    fences: Fences,
}

impl MongoCheckpoints {
    /// Checkpoints in the collections `projection.checkpoints`, `projection.skipped` and `projection.parked`.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self::with_collections(database, CHECKPOINTS, SKIPPED)
    }

    /// Checkpoints in these collections; parked instances in `projection.parked`, fences in `projection.fences`.
    #[must_use]
    pub fn with_collections(database: Database, checkpoints: &str, skipped: &str) -> Self {
        let target = |collection: &str| Target { database: database.clone(), collection: collection.to_owned() };
        let (checkpoints, skipped, parked) = (target(checkpoints), target(skipped), target(PARKED));
        Self { checkpoints, skipped, parked, fences: Fences::new(database, FENCES) }
    }

    /// Keeps parked instances in this collection.
    #[must_use]
    pub fn with_parked(mut self, parked: impl Into<String>) -> Self {
        self.parked.collection = parked.into();
        self
    }

    /// The collection whose epochs fence former owners, as [`MongoViewsOptions::with_leases`] names it.
    ///
    /// [`MongoViewsOptions::with_leases`]: crate::MongoViewsOptions::with_leases
    #[must_use]
    pub fn with_fences(mut self, fences: &str) -> Self {
        self.fences = Fences::new(self.fences.target().database.clone(), fences);
        self
    }
}

impl MongoCheckpoints {
    /// Where checkpoints are.
    pub(crate) fn target(&self) -> &Target {
        &self.checkpoints
    }

    /// The statement that stores a checkpoint, whatever is there: for a transaction that holds the fence.
    pub(crate) fn statement(&self, checkpoint: &Checkpoint) -> Result<Vec<u8>, StoreError> {
        let put = put_checkpoint(checkpoint, How::Replace);
        let doing = Doing::new("writing to", &self.checkpoints.collection);
        let document = put.document.as_ref().map_err(|error| doing.failed(error.clone().into()))?;
        Ok(put.statement(document))
    }

    /// Refuses a checkpoint of a former owner. Should it be one only after this, the checkpoint is still true, and its
    /// epoch keeps it from being stored over one of the new owner.
    async fn check_owner(&self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let Some(fence) = &checkpoint.fence else { return Ok(()) };
        match self.fences.newest(&checkpoint.key.projection, fence.version).await? {
            Some(newest) if newest != *fence => Err(StoreError::conflict(format!(
                "the checkpoint is of epoch {}, and the projection is owned by `{}` in epoch {}",
                fence.epoch, newest.owner, newest.epoch
            ))),
            _ => Ok(()),
        }
    }
}

/// All documents of a projection.
async fn all_of<T>(target: &Target, projection: &str) -> Result<Vec<T>, StoreError>
where
    T: DeserializeOwned + Unpin + Send + Sync,
{
    let doing = Doing::new("reading", &target.collection);
    let collection: Collection<T> = find::primary(&target.database, &target.collection).clone_with_type();
    let found = collection.find(doc! { "projection": projection }).await;
    let found = found.map_err(|error| doing.failed(error))?;
    found.try_collect().await.map_err(|error| doing.failed(error))
}

fn put_checkpoint(checkpoint: &Checkpoint, how: How) -> Put {
    let document = CheckpointDocument::from(checkpoint);
    Put { document: bson::serialize_to_vec(&document), id: document.id, how }
}

/// Removes all documents of one version.
async fn remove(target: &Target, projection: &str, version: u32) -> Result<(), StoreError> {
    remove_where(target, |filter| {
        filter.str("projection", projection);
        filter.i64("version", version.into());
    })
    .await
}

async fn remove_where(target: &Target, condition: impl FnOnce(&mut Writer)) -> Result<(), StoreError> {
    let mut statement = Writer::with_capacity(128);
    let filter = statement.open_document("q");
    condition(&mut statement);
    statement.close(filter);
    statement.i32("limit", 0);
    let statement = Statement { place: 0, bytes: 0, document: statement.finish() };
    let doing = Doing::new("deleting from", &target.collection);
    target.send_whole(&doing, Verb::Delete, 1, std::iter::once(Ok(statement))).await
}

#[async_trait]
impl CheckpointStorage for MongoCheckpoints {
    async fn load(&self, projection: &str) -> Result<Vec<Checkpoint>, StoreError> {
        let mut found: Vec<_> = all_of::<CheckpointDocument>(&self.checkpoints, projection).await?;
        found.sort_by_key(|found| (found.version, found.partition));
        Ok(found.into_iter().map(Checkpoint::from).collect())
    }

    async fn save(&self, checkpoints: &[Checkpoint]) -> Result<(), StoreError> {
        for checkpoint in checkpoints {
            self.check_owner(checkpoint).await?;
        }
        let puts = checkpoints.iter().map(|checkpoint| {
            let how = checkpoint.fence.as_ref().map_or(How::Replace, |fence| How::Unless(fence.epoch));
            put_checkpoint(checkpoint, how)
        });
        put(&self.checkpoints, puts.collect()).await.map_err(|error| match error.kind() {
            ErrorKind::Conflict => StoreError::conflict("a checkpoint of a later owner is stored"),
            _ => error,
        })
    }

    async fn remove(&self, projection: &str, version: u32) -> Result<(), StoreError> {
        remove(&self.checkpoints, projection, version).await?;
        remove(&self.skipped, projection, version).await?;
        remove(&self.parked, projection, version).await
    }

    async fn record_skipped(&self, skipped: &[SkippedEvent]) -> Result<(), StoreError> {
        let puts = skipped.iter().map(|skipped| {
            let document = SkippedDocument::from(skipped);
            Put { document: bson::serialize_to_vec(&document), id: document.id, how: How::Keep }
        });
        put(&self.skipped, puts.collect()).await
    }

    async fn skipped(&self, projection: &str) -> Result<Vec<SkippedEvent>, StoreError> {
        let mut found: Vec<_> = all_of::<SkippedDocument>(&self.skipped, projection).await?;
        found.sort_by_key(|found| (found.position, found.version));
        Ok(found.into_iter().map(SkippedEvent::from).collect())
    }

    async fn park(&self, parked: &[ParkedInstance]) -> Result<(), StoreError> {
        let puts = parked.iter().map(|parked| {
            let document = ParkedDocument::from(parked);
            Put { document: bson::serialize_to_vec(&document), id: document.id, how: How::Replace }
        });
        put(&self.parked, puts.collect()).await
    }

    async fn parked(&self, projection: &str) -> Result<Vec<ParkedInstance>, StoreError> {
        let mut found: Vec<_> = all_of::<ParkedDocument>(&self.parked, projection).await?;
        found.sort_by_key(|found| (found.from, found.version));
        Ok(found.into_iter().map(ParkedInstance::from).collect())
    }

    async fn unpark(&self, key: &CheckpointKey, instance: &str) -> Result<(), StoreError> {
        remove_where(&self.parked, |filter| filter.str("_id", &parked_id(key, instance))).await
    }
}

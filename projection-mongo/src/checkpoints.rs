//! Checkpoints in MongoDB, and the records of what they pass over: skipped events, parked instances.

mod documents;

use async_trait::async_trait;
use bson::doc;
use futures::TryStreamExt as _;
use mongodb::{Collection, Database};
use projection_core::{
    CheckpointStorage, StoreError,
    store::{Checkpoint, CheckpointKey, ParkedInstance, SkippedEvent},
};
use serde::de::DeserializeOwned;

use self::documents::{CheckpointDocument, ParkedDocument, SkippedDocument, parked_id};
use crate::{
    bulk::{Statement, Target, Verb},
    error::Doing,
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
}

impl MongoCheckpoints {
    /// Checkpoints in the collections `projection.checkpoints`, `projection.skipped` and `projection.parked`.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self::with_collections(database, CHECKPOINTS, SKIPPED)
    }

    /// Checkpoints in these collections; parked instances in `projection.parked`.
    #[must_use]
    pub fn with_collections(database: Database, checkpoints: &str, skipped: &str) -> Self {
        let target = |collection: &str| Target { database: database.clone(), collection: collection.to_owned() };
        Self { checkpoints: target(checkpoints), skipped: target(skipped), parked: target(PARKED) }
    }

    /// Keeps parked instances in this collection.
    #[must_use]
    pub fn with_parked(mut self, parked: impl Into<String>) -> Self {
        self.parked.collection = parked.into();
        self
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

/// Writes documents by their `_id`.
async fn put(
    target: &Target,
    documents: Vec<(String, bson::error::Result<Vec<u8>>)>,
    replace: bool,
) -> Result<(), StoreError> {
    let doing = Doing::new("writing to", &target.collection);
    let expected = documents.len();
    let statements = documents.into_iter().enumerate().map(|(place, (id, document))| {
        let document = document.map_err(|error| (place, doing.failed(error.into())))?;
        let mut statement = Writer::with_capacity(document.len() + 128);
        let filter = statement.open_document("q");
        statement.str("_id", &id);
        statement.close(filter);
        if replace {
            statement.document("u", &document);
        } else {
            let update = statement.open_document("u");
            statement.document("$setOnInsert", &document);
            statement.close(update);
        }
        statement.bool("upsert", true);
        Ok(Statement { place, bytes: document.len(), document: statement.finish() })
    });
    target.send_whole(&doing, Verb::Update, expected, statements).await
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
        let documents = checkpoints.iter().map(|checkpoint| {
            let document = CheckpointDocument::from(checkpoint);
            let bytes = bson::serialize_to_vec(&document);
            (document.id, bytes)
        });
        put(&self.checkpoints, documents.collect(), true).await
    }

    async fn remove(&self, projection: &str, version: u32) -> Result<(), StoreError> {
        remove(&self.checkpoints, projection, version).await?;
        remove(&self.skipped, projection, version).await?;
        remove(&self.parked, projection, version).await
    }

    async fn record_skipped(&self, skipped: &[SkippedEvent]) -> Result<(), StoreError> {
        let documents = skipped.iter().map(|skipped| {
            let document = SkippedDocument::from(skipped);
            let bytes = bson::serialize_to_vec(&document);
            (document.id, bytes)
        });
        put(&self.skipped, documents.collect(), false).await
    }

    async fn skipped(&self, projection: &str) -> Result<Vec<SkippedEvent>, StoreError> {
        let mut found: Vec<_> = all_of::<SkippedDocument>(&self.skipped, projection).await?;
        found.sort_by_key(|found| (found.position, found.version));
        Ok(found.into_iter().map(SkippedEvent::from).collect())
    }

    async fn park(&self, parked: &[ParkedInstance]) -> Result<(), StoreError> {
        let documents = parked.iter().map(|parked| {
            let document = ParkedDocument::from(parked);
            let bytes = bson::serialize_to_vec(&document);
            (document.id, bytes)
        });
        put(&self.parked, documents.collect(), true).await
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

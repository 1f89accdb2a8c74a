//! Views in MongoDB: a collection for each version of a view, its indexes, the checkpoints.

mod indexes;
mod names;
mod options;

use std::sync::Arc;

use async_trait::async_trait;
use mongodb::Database;
use projection_core::{
    CheckpointStorage, Projection, StoreError, ViewStore,
    store::{SharedRepository, SourceName},
};

pub use self::options::MongoViewsOptions;
use crate::{checkpoints::MongoCheckpoints, document::Format, repository::MongoRepository};

/// Keeps views in a MongoDB database. Cheap to clone.
///
/// The documents of version 2 of a view called `order-status` are in the collection `order-status.v2`; `order-status`
/// is a MongoDB view on it, for queries. Where you would rather have one plain collection, say so:
/// [`MongoViewsOptions::with_plain_collection`].
#[derive(Debug, Clone)]
pub struct MongoViews {
    database: Database,
    options: MongoViewsOptions,
}

impl MongoViews {
    /// Views in `database`. No I/O yet.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self::with_options(database, MongoViewsOptions::new())
    }

    /// Views in `database`, with options. No I/O yet.
    #[must_use]
    pub fn with_options(database: Database, options: MongoViewsOptions) -> Self {
        Self { database, options }
    }

    /// The name of the collection that holds the documents of `P`.
    #[must_use]
    pub fn collection_name<P: Projection>(&self) -> String {
        match self.options.plain_collection(P::NAME) {
            Some(plain) => plain.to_owned(),
            None => names::versioned(P::NAME, P::VERSION),
        }
    }
}

#[async_trait]
impl ViewStore for MongoViews {
    /// Makes the view and its indexes where they are missing. Four to five round trips.
    async fn open<P: Projection>(&self, source: &SourceName) -> Result<SharedRepository<P>, StoreError> {
        let collection = self.collection_name::<P>();
        let is_plain = self.options.plain_collection(P::NAME).is_some();
        if is_plain {
            names::check_plain(&self.database, &collection).await?;
        } else {
            names::check_versioned(&self.database, P::NAME, &collection).await?;
        }
        indexes::ensure(&self.database, &collection, &P::indexes()).await?;
        if !is_plain {
            names::ensure_view(&self.database, P::NAME, &collection).await?;
        }
        let format = Format { source: source.clone(), version: is_plain.then_some(P::VERSION) };
        Ok(Arc::new(MongoRepository::<P::State, P::Id>::open(&self.database, &collection, format).await?))
    }

    fn checkpoints(&self) -> Arc<dyn CheckpointStorage> {
        let (checkpoints, skipped) = self.options.checkpoint_collections();
        Arc::new(MongoCheckpoints::with_collections(self.database.clone(), checkpoints, skipped))
    }
}

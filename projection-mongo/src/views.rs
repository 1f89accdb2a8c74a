//! Views in MongoDB: a collection for each version of a view, its indexes, and what is kept beside it.

mod indexes;
mod names;
mod options;
mod privileges;
mod sharded;
mod transactions;
mod versions;

use std::sync::{Arc, atomic::AtomicU64};

use async_trait::async_trait;
use mongodb::Database;
use projection_core::{
    CheckpointStorage, Projection, StoreError, ViewStore,
    store::{LeaseStorage, SharedRepository, SourceName, ViewVersions},
};
use tokio::sync::OnceCell;

pub use self::{options::MongoViewsOptions, transactions::Transactions};
use self::{privileges::Privileges, versions::MongoVersions};
use crate::{
    checkpoints::MongoCheckpoints,
    document::Format,
    fences::Fences,
    leases::MongoLeases,
    repository::{Epochs, MongoRepository, Owner, tombstones_of},
};

/// Keeps views in a MongoDB database. Cheap to clone.
///
/// The documents of version 2 of a view called `order-status` are in the collection `order-status.v2`; `order-status`
/// is a MongoDB view on it, for queries. Of several versions it shows one: see
/// [`ProjectionRuntime::rebuild`](projection_core::ProjectionRuntime::rebuild). Where you would rather have one plain collection, say so:
/// [`MongoViewsOptions::with_plain_collection`].
#[derive(Debug, Clone)]
pub struct MongoViews {
    database: Database,
    options: MongoViewsOptions,
    /// Whether the owner of a view writes in transactions, once the server was asked.
    transactions: Arc<OnceCell<bool>>,
    /// How often a projection was taken over from another process.
    takeovers: Arc<AtomicU64>,
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
        Self { database, options, transactions: Arc::default(), takeovers: Arc::default() }
    }

    /// The name of the collection that holds the documents of `P`.
    #[must_use]
    pub fn collection_name<P: Projection>(&self) -> String {
        match self.options.plain_collection(P::NAME) {
            Some(plain) => plain.to_owned(),
            None => names::versioned(P::NAME, P::VERSION),
        }
    }

    fn mongo_checkpoints(&self) -> MongoCheckpoints {
        let (checkpoints, skipped, parked) = self.options.checkpoint_collections();
        let (_, fences) = self.options.lease_collections();
        MongoCheckpoints::with_collections(self.database.clone(), checkpoints, skipped)
            .with_parked(parked)
            .with_fences(fences)
    }

    /// Those that hold anything of a view.
    fn collections_of<'a>(&'a self, documents: &'a str, tombstones: &'a str) -> [&'a str; 7] {
        let (checkpoints, skipped, parked) = self.options.checkpoint_collections();
        let (leases, fences) = self.options.lease_collections();
        [documents, tombstones, checkpoints, skipped, parked, leases, fences]
    }

    fn fences(&self) -> Fences {
        Fences::new(self.database.clone(), self.options.lease_collections().1)
    }
}

#[async_trait]
impl ViewStore for MongoViews {
    /// Makes the view and its indexes where they are missing; beside another version that readers see, its indexes only
    /// after loading. About eight round trips.
    async fn open<P: Projection>(&self, source: &SourceName) -> Result<SharedRepository<P>, StoreError> {
        let collection = self.collection_name::<P>();
        let is_plain = self.options.plain_collection(P::NAME).is_some();
        let tombstones = tombstones_of(&collection);
        let collections = self.collections_of(&collection, &tombstones);
        sharded::check(&self.database, &collections).await?;
        let privileges = Privileges::of(&self.database, P::NAME).await;
        privileges.check(&collections)?;
        let is_beside_another = if is_plain {
            names::check_plain(&self.database, &collection).await?;
            false
        } else {
            names::check_versioned(&self.database, P::NAME, &collection).await?
        };
        if !is_beside_another {
            indexes::ensure(&self.database, &collection, &P::indexes()).await?;
        }
        if !is_plain {
            names::ensure_view(&self.database, P::NAME, &collection).await?;
        }
        let used = || self.options.transactions().are_used(&self.database);
        let transactions = *self.transactions.get_or_try_init(used).await?;
        let checks_epochs = !transactions && self.options.are_epochs_checked();
        if checks_epochs {
            privileges.check_validator(&collection)?;
        }
        let format = Format { source: source.clone(), version: is_plain.then_some(P::VERSION) };
        let owner = Owner::new(P::NAME, self.fences(), self.mongo_checkpoints(), transactions);
        let epochs = Epochs::new(checks_epochs);
        let opened = MongoRepository::<P::State, P::Id>::open(
            &self.database,
            &collection,
            format,
            (owner, epochs),
            Arc::clone(&self.takeovers),
        )
        .await?;
        Ok(Arc::new(opened))
    }

    fn checkpoints(&self) -> Arc<dyn CheckpointStorage> {
        Arc::new(self.mongo_checkpoints())
    }

    /// `None` for a view in a plain collection.
    fn versions(&self, projection: &str) -> Option<Arc<dyn ViewVersions>> {
        let is_plain = self.options.plain_collection(projection).is_some();
        (!is_plain).then(|| Arc::new(MongoVersions::new(self.database.clone())) as Arc<dyn ViewVersions>)
    }

    fn leases(&self) -> Option<Arc<dyn LeaseStorage>> {
        let (leases, _) = self.options.lease_collections();
        Some(Arc::new(MongoLeases::new(&self.database, leases, self.fences(), Arc::clone(&self.takeovers))))
    }
}

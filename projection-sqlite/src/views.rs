//! Views in a file: a table for each version of a view, its indexes, a SQL view over it.

mod indexes;
mod names;
mod table;
mod versions;

use std::sync::Arc;

use async_trait::async_trait;
use projection_core::{
    CheckpointStorage, Projection, StoreError, ViewStore,
    store::{LeaseStorage, SharedRepository, SourceName, ViewVersions},
};

pub(crate) use self::indexes::refused_by;
use self::versions::SqliteVersions;
use crate::{
    checkpoints::SqliteCheckpoints, database::Database, error::Doing, leases::SqliteLeases,
    repository::SqliteRepository,
};

/// Keeps views in a file. Cheap to clone.
///
/// Instances of version 2 of a view called `order-status` are rows of the table `order-status.v2`; `order-status` is a
/// SQL view that shows those that are not deleted, for queries. One batch, its checkpoint and the check of its fence
/// are one transaction.
#[derive(Debug, Clone)]
pub struct SqliteViews {
    database: Database,
}

impl SqliteViews {
    pub(crate) fn new(database: Database) -> Self {
        Self { database }
    }
}

#[async_trait]
impl ViewStore for SqliteViews {
    /// Makes table, indexes and SQL view where they are missing, in one transaction. Where the SQL view shows another
    /// version, it is left as it is, and the indexes are made after loading.
    async fn open<P: Projection>(&self, source: &SourceName) -> Result<SharedRepository<P>, StoreError> {
        let (name, version, indexes) = (P::NAME, P::VERSION, P::indexes());
        let table = names::versioned(name, version);
        let doing = Doing::new("opening the view", &table);
        let unique = self
            .database
            .write(&doing, move |transaction| {
                let table = names::versioned(name, version);
                names::check(transaction, name, &table)?;
                table::ensure(transaction, &table)?;
                names::ensure_view(transaction, name, &table)?;
                if names::shown(transaction, name)? == Some(version) {
                    indexes::ensure(transaction, &table, &indexes)?;
                }
                Ok::<_, StoreError>(indexes::unique_paths(&indexes))
            })
            .await?;
        let database = self.database.clone();
        Ok(Arc::new(SqliteRepository::<P::State, P::Id>::new(database, name, &table, source, unique)))
    }

    fn checkpoints(&self) -> Arc<dyn CheckpointStorage> {
        Arc::new(SqliteCheckpoints::new(self.database.clone()))
    }

    fn versions(&self, _projection: &str) -> Option<Arc<dyn ViewVersions>> {
        Some(Arc::new(SqliteVersions::new(self.database.clone())))
    }

    /// `None` in memory, where there is only this process.
    fn leases(&self) -> Option<Arc<dyn LeaseStorage>> {
        if self.database.is_in_memory() {
            return None;
        }
        Some(Arc::new(SqliteLeases::new(self.database.clone())))
    }
}

//! Where view instances are kept.

use std::sync::Arc;

use async_trait::async_trait;

use super::{CheckpointStorage, GuardedRepository, LeaseStorage, SourceName, ViewVersions};
use crate::{Projection, StoreError};

/// Keeps view instances: states of `S`, found by `Id`. Implement it to keep a view in a home of your own.
///
/// A repository with these methods alone is **at least once**: after a crash or an unknown outcome an event may be
/// applied twice, since no position is stored with the state. [`guarded`](Self::guarded) makes it effectively once;
/// the repositories of our store crates offer it.
#[async_trait]
pub trait ViewStateRepository<S, Id>: Send + Sync
where
    S: Send + Sync + 'static,
    Id: Send + Sync + 'static,
{
    /// The state of one instance, if it exists. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or holds a state that does not fit `S`.
    async fn find_by_id(&self, id: &Id) -> Result<Option<S>, StoreError>;

    /// Creates or replaces one instance. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be written; [`Conflict`](crate::ErrorKind::Conflict) where another writer was first.
    async fn save(&self, id: &Id, state: &S) -> Result<(), StoreError>;

    /// Deletes one instance; harmless when there is none. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    async fn delete(&self, id: &Id) -> Result<(), StoreError>;

    /// The states of those of `ids` that exist, each with its place in `ids`, in any order. Ids without an instance
    /// are absent from the answer. A loop unless overridden; with empty `ids`, no I/O.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn find_all_by_id(&self, ids: &[Id]) -> Result<Vec<(usize, S)>, StoreError> {
        let mut found = Vec::new();
        for (place, id) in ids.iter().enumerate() {
            if let Some(state) = self.find_by_id(id).await? {
                found.push((place, state));
            }
        }
        Ok(found)
    }

    /// Creates or replaces several instances. Not atomic: when it fails partway, some are written and some are not
    /// (spec: P11). A loop unless overridden; with empty `states`, no I/O.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    async fn save_all(&self, states: &[(&Id, &S)]) -> Result<(), StoreError> {
        for (id, state) in states {
            self.save(id, state).await?;
        }
        Ok(())
    }

    /// The same repository with positions, where it has them.
    fn guarded(&self) -> Option<&dyn GuardedRepository<S, Id>> {
        None
    }
}

/// The repository of one projection, shared.
pub type SharedRepository<P> = Arc<dyn ViewStateRepository<<P as Projection>::State, <P as Projection>::Id>>;

/// A database that keeps views: it opens the repository of a projection, and holds the checkpoints.
#[async_trait]
pub trait ViewStore: Send + Sync + 'static {
    /// Opens the repository of `P`, fed from `source`: checks what is there and makes the indexes that `P` declares; where
    /// readers see another version, only [`prepare`](ViewVersions::prepare) makes them, after loading. A few round trips,
    /// once at start.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached, or an index cannot be made.
    async fn open<P: Projection>(&self, source: &SourceName) -> Result<SharedRepository<P>, StoreError>;

    /// Where checkpoints are kept.
    fn checkpoints(&self) -> Arc<dyn CheckpointStorage>;

    /// Where it is kept which process owns which projection; `None` where only one process can reach the store.
    fn leases(&self) -> Option<Arc<dyn LeaseStorage>> {
        None
    }

    /// The versions of a view; `None` where there is no second one beside the first.
    fn versions(&self, _projection: &str) -> Option<Arc<dyn ViewVersions>> {
        None
    }
}

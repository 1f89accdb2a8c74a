//! Repositories with one mechanism broken on purpose. The views that they leave behind must be found to be wrong.

mod duplicates;
mod early;
mod outright;
mod unconditional;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use projection_core::{
    CheckpointStorage, Key, Position, StoreError, ViewStateRepository,
    projection::ViewState,
    store::{Commit, Committed, GuardedRepository, LeaseStorage, Stored},
};

use super::steps::Steps;
use crate::order::Mutant;

/// What a mutant reaches besides the repository.
pub(super) struct Parts {
    pub(super) checkpoints: Arc<dyn CheckpointStorage>,
    pub(super) leases: Option<Arc<dyn LeaseStorage>>,
    pub(super) steps: Arc<Steps>,
}

/// A repository with a mechanism broken.
pub(super) struct Broken<S, Id> {
    mutant: Mutant,
    inner: Arc<dyn ViewStateRepository<S, Id>>,
    projection: &'static str,
    parts: Parts,
    /// The positions that loads have hidden.
    hidden: Mutex<HashMap<Id, Position>>,
}

impl<S: ViewState, Id: Key> Broken<S, Id> {
    pub(super) fn new(
        mutant: Mutant,
        inner: Arc<dyn ViewStateRepository<S, Id>>,
        projection: &'static str,
        parts: Parts,
    ) -> Self {
        Self { mutant, inner, projection, parts, hidden: Mutex::default() }
    }

    fn guard(&self) -> Result<&dyn GuardedRepository<S, Id>, StoreError> {
        self.inner.guarded().ok_or_else(|| StoreError::permanent("the wrapped repository is not guarded"))
    }
}

#[async_trait]
impl<S: ViewState, Id: Key> ViewStateRepository<S, Id> for Broken<S, Id> {
    async fn find_by_id(&self, id: &Id) -> Result<Option<S>, StoreError> {
        self.inner.find_by_id(id).await
    }

    async fn save(&self, id: &Id, state: &S) -> Result<(), StoreError> {
        self.inner.save(id, state).await
    }

    async fn delete(&self, id: &Id) -> Result<(), StoreError> {
        self.inner.delete(id).await
    }

    fn guarded(&self) -> Option<&dyn GuardedRepository<S, Id>> {
        Some(self)
    }
}

#[async_trait]
impl<S: ViewState, Id: Key> GuardedRepository<S, Id> for Broken<S, Id> {
    async fn load(&self, ids: &[Id]) -> Result<Vec<(usize, Stored<S>)>, StoreError> {
        let found = self.guard()?.load(ids).await?;
        Ok(if self.mutant == Mutant::Duplicates { self.hide(ids, found) } else { found })
    }

    async fn is_empty(&self) -> Result<bool, StoreError> {
        self.guard()?.is_empty().await
    }

    async fn commit(&self, commit: Commit<'_, S, Id>) -> Committed {
        let guard = match self.guard() {
            Ok(guard) => guard,
            Err(error) => return super::repository::refused(commit.changes.len(), &error),
        };
        match self.mutant {
            Mutant::Guard | Mutant::Fence => self.write_whatever_is_there(guard, commit).await,
            Mutant::Checkpoint => self.claim_first(guard, commit).await,
            Mutant::Tombstone => self.delete_outright(guard, commit).await,
            // Left out where the store is made.
            Mutant::Epoch => guard.commit(commit).await,
            Mutant::Duplicates => self.write_onto_hidden(guard, commit).await,
        }
    }

    async fn checkpoint_passed(&self, passed: Position) -> Result<(), StoreError> {
        self.guard()?.checkpoint_passed(passed).await
    }
}

//! A repository whose calls are steps, and whose batches are written down.

use std::sync::Arc;

use async_trait::async_trait;
use projection_core::{
    Key, Position, StoreError, ViewStateRepository,
    projection::ViewState,
    store::{ChangeOutcome, CheckpointOutcome, Commit, Committed, GuardedRepository, Stored},
};

use super::steps::Steps;
use crate::journal::{Ended, What};

pub(super) struct SteppedRepository<S, Id> {
    inner: Arc<dyn ViewStateRepository<S, Id>>,
    projection: &'static str,
    steps: Arc<Steps>,
}

impl<S: ViewState, Id: Key> SteppedRepository<S, Id> {
    pub(super) fn new(
        inner: Arc<dyn ViewStateRepository<S, Id>>,
        projection: &'static str,
        steps: Arc<Steps>,
    ) -> Self {
        Self { inner, projection, steps }
    }

    fn guard(&self) -> Result<&dyn GuardedRepository<S, Id>, StoreError> {
        self.inner.guarded().ok_or_else(|| StoreError::permanent("the store's repository is not guarded"))
    }
}

#[async_trait]
impl<S: ViewState, Id: Key> ViewStateRepository<S, Id> for SteppedRepository<S, Id> {
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
impl<S: ViewState, Id: Key> GuardedRepository<S, Id> for SteppedRepository<S, Id> {
    async fn load(&self, ids: &[Id]) -> Result<Vec<(usize, Stored<S>)>, StoreError> {
        self.steps.around("load", self.projection, self.guard()?.load(ids)).await
    }

    async fn is_empty(&self) -> Result<bool, StoreError> {
        self.steps.around("is empty", self.projection, self.guard()?.is_empty()).await
    }

    async fn commit(&self, commit: Commit<'_, S, Id>) -> Committed {
        let guard = match self.guard() {
            Ok(guard) => guard,
            Err(error) => return refused(commit.changes.len(), &error),
        };
        // What is tried again without a checkpoint is a rest of a batch.
        let to = commit.checkpoint.map(|checkpoint| checkpoint.position.as_i64());
        let epoch = commit.fence.map_or(0, |fence| fence.epoch);
        let projection = || self.projection.to_owned();
        let whole = async {
            if let Some(to) = to {
                self.steps.note(What::Begin { projection: projection(), epoch, to });
            }
            let committed = guard.commit(commit).await;
            if let Some(to) = to {
                let ended = ended(&committed);
                self.steps.note(What::End { projection: projection(), epoch, to, ended });
            }
            committed
        };
        self.steps.around("commit", self.projection, whole).await
    }

    async fn checkpoint_passed(&self, passed: Position) -> Result<(), StoreError> {
        self.steps.around("checkpoint passed", self.projection, self.guard()?.checkpoint_passed(passed)).await
    }
}

fn ended(committed: &Committed) -> Ended {
    let all_written = committed.outcomes.iter().all(|outcome| matches!(outcome, ChangeOutcome::Written { .. }));
    match committed.checkpoint {
        CheckpointOutcome::Stored => Ended::Stored,
        CheckpointOutcome::Fenced => Ended::Fenced,
        CheckpointOutcome::NotJoined if all_written => Ended::Written,
        _ => Ended::Failed,
    }
}

/// Nothing is written.
pub(super) fn refused(changes: usize, error: &StoreError) -> Committed {
    Committed {
        outcomes: (0..changes).map(|_| ChangeOutcome::Rejected(error.clone())).collect(),
        checkpoint: CheckpointOutcome::NotJoined,
    }
}

//! A guarded repository that loses, refuses or leaves open what a test wants it to.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;

use crate::{
    StoreError, ViewStateRepository,
    store::{Change, ChangeOutcome, CheckpointOutcome, Commit, Committed, GuardedRepository, Stored},
};

/// What happens to one change of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// It is lost to another writer, who wrote nothing.
    Lost,
    /// It is written, but the answer does not come back.
    UnknownWritten,
    /// It is not written, and the answer does not come back.
    UnknownNotWritten,
    /// It is refused for good.
    Rejected,
}

/// Wraps a guarded repository, and injects faults into its commits and loads.
///
/// Its log has a line a call: `load 3`, `commit 3`, with the number of instances.
pub struct FaultyRepository<S, Id> {
    inner: Arc<dyn ViewStateRepository<S, Id>>,
    plan: Arc<Mutex<Plan>>,
}

#[derive(Debug, Default)]
struct Plan {
    changes: usize,
    faults: BTreeMap<usize, Fault>,
    failing_loads: usize,
    calls: Vec<String>,
}

impl<S, Id> FaultyRepository<S, Id>
where
    S: Send + Sync + 'static,
    Id: Send + Sync + 'static,
{
    /// Wraps `inner`, which must be guarded.
    pub fn new(inner: Arc<dyn ViewStateRepository<S, Id>>) -> Self {
        Self { inner, plan: Arc::default() }
    }

    /// The `nth` change that is committed, counted from 0 over all commits, meets `fault`.
    pub fn inject(&self, nth: usize, fault: Fault) {
        self.plan().faults.insert(nth, fault);
    }

    /// The next `count` loads fail with a transient error.
    pub fn fail_loads(&self, count: usize) {
        self.plan().failing_loads = count;
    }

    /// The calls since the last time this was asked.
    #[must_use]
    pub fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.plan().calls)
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn guard(&self) -> Result<&dyn GuardedRepository<S, Id>, StoreError> {
        self.inner.guarded().ok_or_else(|| StoreError::permanent("the wrapped repository is not guarded"))
    }
}

impl<S, Id> Clone for FaultyRepository<S, Id> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), plan: Arc::clone(&self.plan) }
    }
}

impl<S, Id> fmt::Debug for FaultyRepository<S, Id> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultyRepository").field("plan", &self.plan).finish_non_exhaustive()
    }
}

#[async_trait]
impl<S, Id> ViewStateRepository<S, Id> for FaultyRepository<S, Id>
where
    S: Send + Sync + 'static,
    Id: Send + Sync + 'static,
{
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
impl<S, Id> GuardedRepository<S, Id> for FaultyRepository<S, Id>
where
    S: Send + Sync + 'static,
    Id: Send + Sync + 'static,
{
    async fn load(&self, ids: &[Id]) -> Result<Vec<(usize, Stored<S>)>, StoreError> {
        {
            let mut plan = self.plan();
            plan.calls.push(format!("load {}", ids.len()));
            if plan.failing_loads > 0 {
                plan.failing_loads -= 1;
                return Err(StoreError::transient("injected: the load failed"));
            }
        }
        self.guard()?.load(ids).await
    }

    async fn is_empty(&self) -> Result<bool, StoreError> {
        self.guard()?.is_empty().await
    }

    async fn commit(&self, commit: Commit<'_, S, Id>) -> Committed {
        let faults: Vec<Option<Fault>> = {
            let mut plan = self.plan();
            plan.calls.push(format!("commit {}", commit.changes.len()));
            let first = plan.changes;
            plan.changes += commit.changes.len();
            (first..plan.changes).map(|nth| plan.faults.remove(&nth)).collect()
        };
        let reaches = |fault: &Option<Fault>| matches!(fault, None | Some(Fault::UnknownWritten));
        let changes: Vec<Change<'_, S, Id>> = (commit.changes.iter().zip(&faults))
            .filter(|(_, fault)| reaches(fault))
            .map(|(change, _)| Change { ..*change })
            .collect();
        let checkpoint = if faults.iter().all(Option::is_none) { commit.checkpoint } else { None };
        let inner = match self.guard() {
            Ok(guard) => guard.commit(Commit { changes: &changes, fence: commit.fence, checkpoint }).await,
            Err(error) => Committed {
                outcomes: changes.iter().map(|_| ChangeOutcome::Rejected(error.clone())).collect(),
                checkpoint: CheckpointOutcome::NotJoined,
            },
        };
        let mut written = inner.outcomes.into_iter();
        let unknown = || ChangeOutcome::Unknown(StoreError::transient("injected: the answer was lost"));
        let outcomes = faults.into_iter().map(|fault| match fault {
            None => written.next().unwrap_or_else(unknown),
            Some(Fault::UnknownWritten) => {
                written.next();
                unknown()
            }
            Some(Fault::UnknownNotWritten) => unknown(),
            Some(Fault::Lost) => ChangeOutcome::Lost,
            Some(Fault::Rejected) => ChangeOutcome::Rejected(StoreError::permanent("injected: refused")),
        });
        Committed { outcomes: outcomes.collect(), checkpoint: inner.checkpoint }
    }

    async fn checkpoint_passed(&self, passed: crate::Position) -> Result<(), StoreError> {
        self.guard()?.checkpoint_passed(passed).await
    }
}

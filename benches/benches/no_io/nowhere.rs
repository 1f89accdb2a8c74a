//! A view that is empty at first and throws away what it is given, with its guard: the engine does all its work.

use std::sync::atomic::{AtomicI64, Ordering};

use async_trait::async_trait;
use benches::{account::Account, generate::Totals};
use projection_core::{
    StoreError, ViewStateRepository,
    store::{ChangeOutcome, CheckpointOutcome, Commit, Committed, GuardedRepository, Stored},
};

/// What an account has in bytes, once it is encoded.
const BYTES: usize = 100;

/// Counts what it throws away.
#[derive(Default)]
pub(crate) struct Nowhere {
    written: AtomicI64,
}

impl Nowhere {
    /// How many states were written.
    pub(crate) fn totals(&self) -> Totals {
        Totals { instances: self.written.load(Ordering::Relaxed), ..Totals::default() }
    }
}

#[async_trait]
impl ViewStateRepository<Account, i64> for Nowhere {
    async fn find_by_id(&self, _: &i64) -> Result<Option<Account>, StoreError> {
        Ok(None)
    }

    async fn save(&self, _: &i64, _: &Account) -> Result<(), StoreError> {
        Ok(())
    }

    async fn delete(&self, _: &i64) -> Result<(), StoreError> {
        Ok(())
    }

    fn guarded(&self) -> Option<&dyn GuardedRepository<Account, i64>> {
        Some(self)
    }
}

#[async_trait]
impl GuardedRepository<Account, i64> for Nowhere {
    async fn load(&self, _: &[i64]) -> Result<Vec<(usize, Stored<Account>)>, StoreError> {
        Ok(Vec::new())
    }

    async fn commit(&self, commit: Commit<'_, Account, i64>) -> Committed {
        let written = i64::try_from(commit.changes.len()).unwrap_or(i64::MAX);
        self.written.fetch_add(written, Ordering::Relaxed);
        let outcomes = commit.changes.iter().map(|_| ChangeOutcome::Written { bytes: BYTES }).collect();
        Committed { outcomes, checkpoint: CheckpointOutcome::NotJoined }
    }

    async fn checkpoint_passed(&self, _: projection_core::Position) -> Result<(), StoreError> {
        Ok(())
    }
}

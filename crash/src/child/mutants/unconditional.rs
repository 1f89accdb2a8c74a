//! No comparison of positions, and a fence that is only read: whatever is there is written over.

use projection_core::{
    Key, StoreError,
    projection::ViewState,
    store::{Change, ChangeOutcome, CheckpointOutcome, Commit, Committed, Expected, Fence, GuardedRepository},
};

use super::Broken;
use crate::child::repository::refused;

/// How often what is there is looked at again, since somebody else wrote meanwhile.
const ROUNDS: usize = 20;

impl<S: ViewState, Id: Key> Broken<S, Id> {
    pub(super) async fn write_whatever_is_there(
        &self,
        guard: &dyn GuardedRepository<S, Id>,
        commit: Commit<'_, S, Id>,
    ) -> Committed {
        match self.owns(commit.fence).await {
            Ok(true) => {}
            Ok(false) => {
                let outcomes = commit.changes.iter().map(|_| ChangeOutcome::Lost).collect();
                return Committed { outcomes, checkpoint: CheckpointOutcome::Fenced };
            }
            Err(error) => return refused(commit.changes.len(), &error),
        }
        self.parts.steps.reached("between fence and flush", self.projection);
        let mut outcomes: Vec<Option<ChangeOutcome>> = commit.changes.iter().map(|_| None).collect();
        for _ in 0..ROUNDS {
            let open: Vec<usize> = (0..outcomes.len()).filter(|place| outcomes[*place].is_none()).collect();
            if open.is_empty() {
                break;
            }
            match self.write_over(guard, &commit, &open).await {
                Err(error) => return refused(commit.changes.len(), &error),
                Ok(answers) => {
                    for (place, answer) in open.into_iter().zip(answers) {
                        outcomes[place] = Some(answer).filter(|answer| !matches!(answer, ChangeOutcome::Lost));
                    }
                }
            }
        }
        let outcomes = outcomes.into_iter().map(|outcome| outcome.unwrap_or(ChangeOutcome::Lost)).collect();
        Committed { outcomes, checkpoint: CheckpointOutcome::NotJoined }
    }

    /// The fence, only read.
    async fn owns(&self, fence: Option<&Fence>) -> Result<bool, StoreError> {
        let (Some(fence), Some(leases)) = (fence, &self.parts.leases) else { return Ok(true) };
        let owners = leases.owners().await?;
        Ok(owners.iter().all(|owner| owner.projection != self.projection || owner.epoch == fence.epoch))
    }

    /// Writes with what is stored now as what is expected.
    async fn write_over(
        &self,
        guard: &dyn GuardedRepository<S, Id>,
        commit: &Commit<'_, S, Id>,
        open: &[usize],
    ) -> Result<Vec<ChangeOutcome>, StoreError> {
        let ids: Vec<Id> = open.iter().map(|place| commit.changes[*place].id.clone()).collect();
        let mut expected = vec![Expected::Absent; ids.len()];
        for (place, stored) in guard.load(&ids).await? {
            expected[place] = Expected::At(stored.position);
        }
        let changes: Vec<_> = (open.iter().zip(expected))
            .map(|(place, expected)| Change { expected, ..commit.changes[*place] })
            .collect();
        Ok(guard.commit(Commit { changes: &changes, fence: None, checkpoint: None }).await.outcomes)
    }
}

//! Tombstones left out: a delete takes the document and leaves nothing that a late writer would meet.

use projection_core::{
    Key,
    projection::ViewState,
    store::{Change, ChangeOutcome, CheckpointOutcome, Commit, Committed, GuardedRepository},
};

use super::Broken;

impl<S: ViewState, Id: Key> Broken<S, Id> {
    pub(super) async fn delete_outright(
        &self,
        guard: &dyn GuardedRepository<S, Id>,
        commit: Commit<'_, S, Id>,
    ) -> Committed {
        let stays = commit.changes.iter().filter(|change| change.state.is_some());
        let stays: Vec<_> = stays.map(|change| Change { ..*change }).collect();
        let all = commit.changes;
        let inner = guard.commit(Commit { changes: &stays, ..commit }).await;
        let is_fenced = matches!(inner.checkpoint, CheckpointOutcome::Fenced);
        let mut written = inner.outcomes.into_iter();
        let mut outcomes = Vec::with_capacity(all.len());
        for change in all {
            outcomes.push(match change.state {
                Some(_) => written.next().unwrap_or(ChangeOutcome::Lost),
                None if is_fenced => ChangeOutcome::Lost,
                None => match self.inner.delete(change.id).await {
                    Ok(()) => ChangeOutcome::Written { bytes: 0 },
                    Err(error) => ChangeOutcome::Unknown(error),
                },
            });
        }
        Committed { outcomes, checkpoint: inner.checkpoint }
    }
}

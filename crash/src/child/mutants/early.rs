//! The checkpoint before the flush: it claims a batch that is not yet written.

use projection_core::{
    Key,
    projection::ViewState,
    store::{Commit, Committed, GuardedRepository},
};

use super::Broken;
use crate::child::repository::refused;

impl<S: ViewState, Id: Key> Broken<S, Id> {
    pub(super) async fn claim_first(
        &self,
        guard: &dyn GuardedRepository<S, Id>,
        commit: Commit<'_, S, Id>,
    ) -> Committed {
        if let Some(checkpoint) = commit.checkpoint
            && let Err(error) = self.parts.checkpoints.save(std::slice::from_ref(checkpoint)).await
        {
            return refused(commit.changes.len(), &error);
        }
        self.parts.steps.reached("between checkpoint and flush", self.projection);
        guard.commit(Commit { checkpoint: None, ..commit }).await
    }
}

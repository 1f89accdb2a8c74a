//! A view that is about to take the place of another version of it.

use super::core::FeedCore;
use crate::{
    FeedError, Phase, Position,
    engine::{Sample, Verified},
};

impl FeedCore {
    /// How far this process has brought the view: `None` while it does not feed it, or is still catching up.
    pub(crate) fn live_at(&self) -> Result<Option<Position>, FeedError> {
        let progress = self.progress();
        let progress = progress.borrow();
        match progress.phase {
            Phase::Live => Ok(Some(progress.position)),
            Phase::Failed | Phase::Stopped => match self.failure() {
                Some(failure) if failure.may_pass() => Ok(None),
                Some(failure) => Err(failure),
                None => Err(FeedError::Stopped { projection: self.projection.clone() }),
            },
            _ => Ok(None),
        }
    }

    /// How far another version of the view is, whoever feeds it.
    pub(crate) async fn reached_by(&self, version: u32) -> Result<Option<Position>, FeedError> {
        Ok(self.records.checkpoint_of(version).await?.map(|checkpoint| checkpoint.position))
    }

    /// Compares what is stored with the history. The view stands still meanwhile. `None`: it is not live here any more.
    pub(crate) async fn verify(&self, sample: Sample<'_>) -> Result<Option<Verified>, FeedError> {
        let mut engine = self.engine.lock().await;
        let Some(run) = self.live()? else { return Ok(None) };
        let verified = self.contained(engine.verify(sample, &run.stop)).await?;
        // Another may have written since the lease was lost.
        Ok(self.live()?.is_some().then_some(verified))
    }
}

//! Flushing a batch: read what is not in memory, fold, write, and settle what did not go through.

mod guarded;
mod instance;
mod plain;

use super::{
    batch::Batch,
    target::{FlushContext, Flushed, ProjectionTarget},
    waiting::{GaveUp, retried},
};
use crate::{FeedError, Projection, store::SkippedEvent};

/// Writes `batch`, in the way its repository offers.
pub(super) async fn flush<P: Projection>(
    target: &mut ProjectionTarget<P>,
    batch: Batch<P::Id>,
    context: &FlushContext<'_>,
) -> Result<Flushed, FeedError> {
    let repository = target.repository.clone();
    match repository.guarded() {
        Some(guarded) => guarded::flush(target, guarded, batch, context).await,
        None => plain::flush(target, repository.as_ref(), batch, context).await,
    }
}

impl FlushContext<'_> {
    /// A stop ends the flush until its first write.
    fn go_on(&self) -> Result<(), FeedError> {
        if self.stop.is_cancelled() { Err(self.stopped()) } else { Ok(()) }
    }

    pub(super) fn stopped(&self) -> FeedError {
        FeedError::Stopped { projection: self.identity.projection.clone() }
    }

    /// Records what is passed over, before the checkpoint that passes it (spec: B13).
    pub(super) async fn record(&self, skipped: &[SkippedEvent]) -> Result<(), FeedError> {
        if skipped.is_empty() {
            return Ok(());
        }
        for skipped in skipped {
            tracing::warn!(
                position = %skipped.position, event = %skipped.event, name = skipped.name,
                instance = skipped.instance, cause = skipped.cause, "event passed over"
            );
        }
        retried(self.options.retry(), self.stop, || self.checkpoints.record_skipped(skipped))
            .await
            .map_err(|gave_up| self.storage_gave_up("a skipped event cannot be recorded", gave_up))
    }

    pub(super) fn storage_gave_up(&self, what: &'static str, gave_up: GaveUp) -> FeedError {
        match gave_up {
            GaveUp::Failed { source, .. } => self.identity.storage_failed(what, source),
            GaveUp::Stopped => self.stopped(),
        }
    }
}

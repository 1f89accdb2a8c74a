//! Flushing a batch: read what is not in memory, fold, write, and settle what did not go through.

pub(super) mod anew;
mod guarded;
mod instance;
mod plain;
mod working;

use super::{
    Passed,
    batch::Batch,
    target::{FlushContext, Flushed, ProjectionTarget},
    waiting::{GaveUp, retried},
};
use crate::{FeedError, Key, Projection};

/// Writes `batch`, in the way its repository offers.
pub(super) async fn flush<P: Projection>(
    target: &mut ProjectionTarget<P>,
    batch: Batch<P::Id>,
    context: &FlushContext<'_>,
) -> Result<Flushed, FeedError> {
    let repository = target.repository.clone();
    if let (Some(set), Some(guarded)) = (&mut target.working, repository.guarded())
        && batch.is_empty()
    {
        return working::flush::<P>(set, guarded, context).await;
    }
    let batch = without_parked(target, batch);
    match repository.guarded() {
        Some(guarded) => guarded::flush(target, guarded, batch, context).await,
        None => plain::flush(target, repository.as_ref(), batch, context).await,
    }
}

/// Passes over what parked instances would take (spec: B14).
fn without_parked<P: Projection>(target: &ProjectionTarget<P>, mut batch: Batch<P::Id>) -> Batch<P::Id> {
    batch.passed.already = target.parked.len();
    if !target.parked.is_empty() {
        batch.instances.retain(|id, steps| {
            let name = id.as_key().to_string();
            steps.retain(|step| !step.event.stored || target.parked.takes(&name, step.event.meta.position()));
            !steps.is_empty()
        });
    }
    batch
}

impl FlushContext<'_> {
    /// A stop ends the flush until its first write.
    pub(super) fn go_on(&self) -> Result<(), FeedError> {
        if self.stop.is_cancelled() { Err(self.stopped()) } else { Ok(()) }
    }

    pub(super) fn stopped(&self) -> FeedError {
        FeedError::Stopped { projection: self.identity.projection.clone() }
    }

    /// Records what is passed over, before the checkpoint that passes it (spec: B13).
    pub(super) async fn record(&self, passed: &Passed) -> Result<(), FeedError> {
        if passed.is_empty() {
            return Ok(());
        }
        for skipped in &passed.skipped {
            tracing::warn!(
                position = %skipped.position, event = %skipped.event, name = skipped.name,
                instance = skipped.instance, cause = skipped.cause, "event passed over"
            );
        }
        for parked in &passed.parked {
            tracing::error!(
                from = %parked.from, event = %parked.event, name = parked.name,
                instance = parked.instance, cause = parked.cause, "instance parked"
            );
        }
        let (retry, checkpoints) = (self.options.retry(), self.checkpoints);
        if !passed.skipped.is_empty() {
            let recorded = retried(retry, self.stop, || checkpoints.record_skipped(&passed.skipped)).await;
            recorded.map_err(|gave_up| self.storage_gave_up("a skipped event cannot be recorded", gave_up))?;
        }
        if !passed.parked.is_empty() {
            let recorded = retried(retry, self.stop, || checkpoints.park(&passed.parked)).await;
            recorded.map_err(|gave_up| self.storage_gave_up("a parked instance cannot be recorded", gave_up))?;
        }
        Ok(())
    }

    pub(crate) fn storage_gave_up(&self, what: &'static str, gave_up: GaveUp) -> FeedError {
        match gave_up {
            GaveUp::Failed { source, .. } => self.identity.storage_failed(what, source),
            GaveUp::Stopped => self.stopped(),
        }
    }
}

//! Flushing into a repository that keeps positions: in bulk under every retry strategy (spec: B10).

use std::time::Instant;

use indexmap::IndexMap;

use super::instance::{Home, Instance, batch_gave_up, misplaced};
use crate::{
    FeedError, Projection, StoreError,
    engine::{
        Passed,
        batch::{Batch, Step},
        target::{FlushContext, Flushed, ProjectionTarget},
        waiting::{GaveUp, retried, wait},
    },
    store::{
        Change, ChangeOutcome, Checkpoint, CheckpointOutcome, Commit, Committed, Fence, GuardedRepository, Stored,
    },
};

type Guarded<'a, P> = &'a dyn GuardedRepository<<P as Projection>::State, <P as Projection>::Id>;

pub(super) async fn flush<P: Projection>(
    target: &mut ProjectionTarget<P>,
    repository: Guarded<'_, P>,
    batch: Batch<P::Id>,
    context: &FlushContext<'_>,
) -> Result<Flushed, FeedError> {
    let (events, mut passed) = (batch.events, batch.passed);
    let started = Instant::now();
    let mut instances = load(target, repository, batch.instances, context).await?;
    let loaded = Instant::now();
    for instance in &mut instances {
        instance.fold(&target.table, context, &mut passed, Home::Guarded(repository)).await?;
    }
    let folded = Instant::now();

    context.go_on()?;
    context.record(&passed).await?;
    target.parked.add(&passed.parked);
    let (changed, unchanged): (Vec<_>, Vec<_>) = instances.into_iter().partition(Instance::is_changed);
    for (id, stored) in unchanged.into_iter().filter_map(Instance::into_unchanged) {
        target.cache.put(id, stored);
    }
    let count = changed.len();
    let checkpoint = write(target, repository, changed, context).await?;
    Ok(Flushed {
        stopped_at: None,
        checkpoint,
        events,
        instances: count,
        fold: folded - loaded,
        io: (loaded - started) + folded.elapsed(),
    })
}

/// The batch's instances, each with what is stored: from memory, or by one load for all others.
async fn load<P: Projection>(
    target: &mut ProjectionTarget<P>,
    repository: Guarded<'_, P>,
    steps: IndexMap<P::Id, Vec<Step>>,
    context: &FlushContext<'_>,
) -> Result<Vec<Instance<P>>, FeedError> {
    let mut instances: Vec<Instance<P>> = Vec::with_capacity(steps.len());
    let (mut missing, mut ids) = (Vec::new(), Vec::new());
    for (id, steps) in steps {
        let cached = target.cache.take(&id);
        if cached.is_none() {
            missing.push(instances.len());
            ids.push(id.clone());
        }
        instances.push(Instance::new(id, steps, cached));
    }
    if !ids.is_empty() {
        let found = retried(context.options.retry(), context.stop, || repository.load(&ids)).await;
        for (place, stored) in found.map_err(|gave_up| batch_gave_up(&instances, context, gave_up))? {
            let Some(place) = missing.get(place) else { return Err(misplaced(&instances, context, place)) };
            instances[*place].start_from(Some(stored));
        }
    }
    Ok(instances)
}

/// Writes `changed`, and goes on with those that did not go through for as long as the strategy says. What was
/// written is kept in memory.
async fn write<P: Projection>(
    target: &mut ProjectionTarget<P>,
    repository: Guarded<'_, P>,
    mut changed: Vec<Instance<P>>,
    context: &FlushContext<'_>,
) -> Result<CheckpointOutcome, FeedError> {
    let mut retries = context.options.retry().start();
    let mut checkpoint = context.checkpoint;
    while !changed.is_empty() {
        let committed = commit(repository, &changed, checkpoint.take(), context.fence).await;
        if matches!(committed.checkpoint, CheckpointOutcome::Fenced) {
            return Err(FeedError::Fenced { projection: context.identity.projection.clone() });
        }
        if committed.outcomes.len() != changed.len() {
            return Err(miscounted(&changed, context, committed.outcomes.len()));
        }
        let mut failed: Vec<(Instance<P>, StoreError)> = Vec::new();
        for (instance, outcome) in changed.into_iter().zip(committed.outcomes) {
            match settle(outcome) {
                Ok(bytes) => {
                    let (id, stored) = instance.into_stored(bytes);
                    target.cache.put(id, stored);
                }
                Err(error) => failed.push((instance, error)),
            }
        }
        let Some((_, first)) = failed.first() else { return Ok(committed.checkpoint) };
        let delay = retries.after(first);
        let refused = failed.iter().position(|(_, error)| !retries.accepts(error));
        let (None, Some(delay)) = (refused, delay) else {
            let (instance, error) = failed.swap_remove(refused.unwrap_or(0));
            return Err(instance.failed(context, error, retries.failures()));
        };
        tracing::warn!(instances = failed.len(), error = %first, ?delay, "not written, trying again");
        changed = failed.into_iter().map(|(instance, _)| instance).collect();
        wait(delay, context.stop).await.map_err(|_| context.stopped())?;
        changed = refold(target, repository, changed, context).await?;
    }
    Ok(CheckpointOutcome::NotJoined)
}

/// Loads `lost` again and folds onto what is stored now. An instance that turns out to be written falls out.
async fn refold<P: Projection>(
    target: &mut ProjectionTarget<P>,
    repository: Guarded<'_, P>,
    mut lost: Vec<Instance<P>>,
    context: &FlushContext<'_>,
) -> Result<Vec<Instance<P>>, FeedError> {
    let ids: Vec<P::Id> = lost.iter().map(|instance| instance.id.clone()).collect();
    let found = retried(context.options.retry(), context.stop, || repository.load(&ids)).await;
    let mut stored: Vec<Option<Stored<P::State>>> = ids.iter().map(|_| None).collect();
    for (place, found) in found.map_err(|gave_up| batch_gave_up(&lost, context, gave_up))? {
        let Some(slot) = stored.get_mut(place) else { return Err(misplaced(&lost, context, place)) };
        *slot = Some(found);
    }
    let mut passed = Passed::beside(target.parked.len());
    for (instance, stored) in lost.iter_mut().zip(stored) {
        instance.start_from(stored);
        instance.fold(&target.table, context, &mut passed, Home::Guarded(repository)).await?;
    }
    context.record(&passed).await?;
    target.parked.add(&passed.parked);
    lost.retain(Instance::is_changed);
    Ok(lost)
}

async fn commit<P: Projection>(
    repository: Guarded<'_, P>,
    instances: &[Instance<P>],
    checkpoint: Option<&Checkpoint>,
    fence: Option<&Fence>,
) -> Committed {
    let changes: Vec<_> = instances
        .iter()
        .map(|instance| Change {
            id: &instance.id,
            state: instance.folding.state.as_ref(),
            position: instance.position(),
            offered: &instance.folding.offered,
            expected: instance.expected,
        })
        .collect();
    repository.commit(Commit { changes: &changes, fence, checkpoint }).await
}

/// The repository must answer for each change, or nothing is known of the others.
fn miscounted<P: Projection>(changed: &[Instance<P>], context: &FlushContext<'_>, answers: usize) -> FeedError {
    let text = format!("the repository was given {} changes and answered for {answers}", changed.len());
    batch_gave_up(changed, context, GaveUp::Failed { source: StoreError::permanent(text), tries: 1 })
}

pub(super) fn settle(outcome: ChangeOutcome) -> Result<usize, StoreError> {
    match outcome {
        ChangeOutcome::Written { bytes } => Ok(bytes),
        ChangeOutcome::Lost => Err(StoreError::conflict("another writer changed the instance first")),
        ChangeOutcome::Unknown(error) | ChangeOutcome::Rejected(error) => Err(error),
    }
}

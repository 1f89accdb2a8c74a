//! Flushing into a repository without positions: at least once. In bulk without a retry strategy, one instance at a
//! time with one (spec: P14).

use std::time::{Duration, Instant};

use super::instance::{Home, Instance, batch_gave_up, misplaced, without_position};
use crate::{
    FeedError, Projection, StoreError, ViewStateRepository,
    engine::{
        Passed,
        batch::Batch,
        target::{FlushContext, Flushed, ProjectionTarget},
        waiting::{GaveUp, retried, wait},
    },
};

type Plain<'a, P> = &'a dyn ViewStateRepository<<P as Projection>::State, <P as Projection>::Id>;

pub(super) async fn flush<P: Projection>(
    target: &mut ProjectionTarget<P>,
    repository: Plain<'_, P>,
    batch: Batch<P::Id>,
    context: &FlushContext<'_>,
) -> Result<Flushed, FeedError> {
    let started = Instant::now();
    let Batch { instances, mut passed, events, .. } = batch;
    let mut instances: Vec<Instance<P>> = instances
        .into_iter()
        .map(|(id, steps)| {
            let cached = target.cache.take(&id);
            Instance::new(id, steps, cached)
        })
        .collect();
    let mut fold = Duration::ZERO;
    // A batch size of one is the page's way before there was batching: each event by itself (spec: P3).
    let written = if context.options.retry().is_none() && context.options.batch_size() > 1 {
        in_bulk(target, repository, &mut instances, &mut passed, context, &mut fold).await?
    } else {
        let mut writing = Writing { begun: false, passed: &mut passed, fold: &mut fold };
        let mut written = 0;
        for instance in &mut instances {
            written += usize::from(one(target, repository, instance, &mut writing, context).await?);
        }
        writing.begin(context).await?;
        written
    };
    target.parked.add(&passed.parked);
    target.keep_written(instances);
    let io = started.elapsed() - fold;
    Ok(Flushed { events, instances: written, fold, io, ..Flushed::nothing() })
}

impl<P: Projection> ProjectionTarget<P> {
    /// Keeps states that exist. Without positions there is nothing to remember of a deleted instance.
    fn keep_written(&mut self, instances: Vec<Instance<P>>) {
        if self.cache.is_off() {
            return;
        }
        for instance in instances {
            let Some(state) = &instance.folding.state else { continue };
            let Ok(json) = serde_json::to_vec(state) else { continue };
            let (id, stored) = instance.into_stored(json.len());
            self.cache.put(id, stored);
        }
    }
}

/// One read for all that is not in memory, one `save_all`; deletes one by one. Says how many were written.
async fn in_bulk<P: Projection>(
    target: &ProjectionTarget<P>,
    repository: Plain<'_, P>,
    instances: &mut [Instance<P>],
    passed: &mut Passed,
    context: &FlushContext<'_>,
    fold: &mut Duration,
) -> Result<usize, FeedError> {
    let missing: Vec<usize> = (0..instances.len()).filter(|place| instances[*place].is_absent()).collect();
    let ids: Vec<P::Id> = missing.iter().map(|place| instances[*place].id.clone()).collect();
    if !ids.is_empty() {
        let found = repository.find_all_by_id(&ids).await.map_err(|source| failed(instances, context, source))?;
        for (place, state) in found {
            let Some(place) = missing.get(place) else { return Err(misplaced(instances, context, place)) };
            instances[*place].start_from(Some(without_position(state)));
        }
    }
    let loaded = Instant::now();
    for instance in &mut *instances {
        instance.fold(&target.table, context, passed, Home::Plain(repository)).await?;
    }
    *fold += loaded.elapsed();

    context.go_on()?;
    context.record(passed).await?;
    let changed: Vec<&Instance<P>> = instances.iter().filter(|instance| instance.is_changed()).collect();
    let saved: Vec<_> =
        changed.iter().filter_map(|one| one.folding.state.as_ref().map(|state| (&one.id, state))).collect();
    if !saved.is_empty() {
        repository.save_all(&saved).await.map_err(|source| failed(instances, context, source))?;
    }
    for deleted in changed.iter().filter(|instance| instance.folding.state.is_none()) {
        repository.delete(&deleted.id).await.map_err(|source| deleted.failed(context, source, 1))?;
    }
    Ok(changed.len())
}

/// A batch that is written one instance at a time.
struct Writing<'a> {
    /// Whether something may have been written: from then on the batch is written to its end.
    begun: bool,
    passed: &'a mut Passed,
    fold: &'a mut Duration,
}

impl Writing<'_> {
    /// Before the first write: a stop still ends it, and what was passed over while routing is recorded.
    async fn begin(&mut self, context: &FlushContext<'_>) -> Result<(), FeedError> {
        if !self.begun {
            context.go_on()?;
            context.record(self.passed).await?;
            self.begun = true;
        }
        Ok(())
    }
}

/// One instance read, folded, saved, and tried again by itself. Says whether it was written.
async fn one<P: Projection>(
    target: &ProjectionTarget<P>,
    repository: Plain<'_, P>,
    instance: &mut Instance<P>,
    writing: &mut Writing<'_>,
    context: &FlushContext<'_>,
) -> Result<bool, FeedError> {
    let home = Home::Plain(repository);
    let mut retries = context.options.retry().start();
    let mut in_memory = !instance.is_absent();
    loop {
        if !in_memory {
            let found = retried(context.options.retry(), context.stop, || home.load(&instance.id)).await;
            let found = found.map_err(|gave_up| instance.gave_up(context, gave_up))?;
            instance.start_from(found);
        }
        let (mut now, started) = (Passed::beside(writing.passed.parked_in_all()), Instant::now());
        instance.fold(&target.table, context, &mut now, home).await?;
        *writing.fold += started.elapsed();
        writing.begin(context).await?;
        context.record(&now).await?;
        writing.passed.parked.append(&mut now.parked);
        if !instance.is_changed() {
            return Ok(false);
        }
        let saved = match &instance.folding.state {
            Some(state) => repository.save(&instance.id, state).await,
            None => repository.delete(&instance.id).await,
        };
        let Err(error) = saved else { return Ok(true) };
        let Some(delay) = retries.after(&error) else {
            return Err(instance.failed(context, error, retries.failures()));
        };
        tracing::warn!(instance = instance.name(), %error, ?delay, "not written, trying again");
        wait(delay, context.stop).await.map_err(|_| context.stopped())?;
        in_memory = false;
    }
}

fn failed<P: Projection>(instances: &[Instance<P>], context: &FlushContext<'_>, source: StoreError) -> FeedError {
    batch_gave_up(instances, context, GaveUp::Failed { source, tries: 1 })
}

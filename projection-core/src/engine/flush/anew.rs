//! Folding instances anew from the whole history, and replacing them: in one write where the server has transactions and
//! they fit into one; else a crash leaves some of them old, each as a whole.

use std::{collections::HashSet, sync::Arc};

use super::guarded::settle;
use crate::{
    FeedError, Key, Position, Projection,
    engine::{
        DecodedEvent, History,
        batch::Batch,
        history::{self, Anew, Which},
        identity::FailedWrite,
        late::Refolded,
        target::{FlushContext, ProjectionTarget},
        waiting::{GaveUp, retried, wait},
    },
    store::{Change, CheckpointOutcome, Commit, Expected, GuardedRepository, Stored},
};

pub(in crate::engine) type Held<P> = Vec<Option<Stored<<P as Projection>::State>>>;

/// The instances that `late` change, folded from `history`.
pub(in crate::engine) async fn refold<P: Projection>(
    target: &ProjectionTarget<P>,
    late: &[Arc<DecodedEvent>],
    history: &History,
    context: &FlushContext<'_>,
) -> Result<Refolded, FeedError> {
    let mut named = Batch::new();
    for event in late {
        history::put(target, &mut named, event, context)?;
    }
    let ids: Vec<P::Id> = named.instances.into_keys().collect();
    if ids.is_empty() {
        return Ok(Refolded::Instances(0));
    }
    let repository = Arc::clone(&target.repository);
    let Some(guarded) = repository.guarded() else {
        let anew = history::fold(target, &Which::These(&ids), HashSet::new(), history, context).await?;
        for (id, folding) in &anew {
            let save = || async {
                match &folding.state {
                    Some(state) => repository.save(id, state).await,
                    None => repository.delete(id).await,
                }
            };
            let saved = retried(context.options.retry(), context.stop, save).await;
            saved.map_err(|gave_up| failed::<P>(id, context, gave_up))?;
        }
        return Ok(Refolded::Instances(anew.len()));
    };
    let stored = load::<P>(guarded, &ids, context).await?;
    if stored.iter().flatten().any(|stored| stored.position > history.window.up_to) {
        return Ok(Refolded::NotYet);
    }
    let offered = |stored: &Option<Stored<P::State>>| stored.as_ref().is_some_and(|one| !one.offered.is_empty());
    if let Some(place) = stored.iter().position(offered) {
        let reason = "it holds events that were offered and are in no history".to_owned();
        return Err(FeedError::Late {
            projection: context.identity.projection.clone(),
            position: late.first().map_or(Position::START, |event| event.meta.position()),
            instances: vec![ids[place].as_key().to_string()],
            reason,
        });
    }
    let anew = history::fold(target, &Which::These(&ids), HashSet::new(), history, context).await?;
    replace::<P>(guarded, &anew, stored, context).await
}

pub(in crate::engine) async fn load<P: Projection>(
    guarded: &dyn GuardedRepository<P::State, P::Id>,
    ids: &[P::Id],
    context: &FlushContext<'_>,
) -> Result<Held<P>, FeedError> {
    let found = retried(context.options.retry(), context.stop, || guarded.load(ids)).await;
    let found = found.map_err(|gave_up| context.storage_gave_up("its instances cannot be read", gave_up))?;
    let mut held: Held<P> = ids.iter().map(|_| None).collect();
    for (place, stored) in found {
        if let Some(slot) = held.get_mut(place) {
            *slot = Some(stored);
        }
    }
    Ok(held)
}

/// Writes all, as often as the strategy says.
async fn replace<P: Projection>(
    guarded: &dyn GuardedRepository<P::State, P::Id>,
    anew: &Anew<P>,
    mut stored: Held<P>,
    context: &FlushContext<'_>,
) -> Result<Refolded, FeedError> {
    let ids: Vec<P::Id> = anew.keys().cloned().collect();
    let mut retries = context.options.retry().start();
    loop {
        let changes: Vec<Change<'_, P::State, P::Id>> = anew
            .iter()
            .zip(&stored)
            .filter(|((_, folding), stored)| {
                folding.state.is_some() || stored.as_ref().is_some_and(|stored| stored.state.is_some())
            })
            .map(|((id, folding), stored)| {
                let before = stored.as_ref().map(|stored| stored.position);
                Change {
                    id,
                    state: folding.state.as_ref(),
                    // The guard does not go back.
                    position: folding.position.max(before.unwrap_or(Position::START)),
                    offered: &[],
                    expected: before.map_or(Expected::Absent, Expected::At),
                }
            })
            .collect();
        let committed = guarded.commit(Commit { changes: &changes, fence: context.fence, checkpoint: None }).await;
        if matches!(committed.checkpoint, CheckpointOutcome::Fenced) {
            return Err(FeedError::Fenced { projection: context.identity.projection.clone() });
        }
        let outcomes = changes.iter().zip(committed.outcomes);
        let lost = outcomes.filter_map(|(change, outcome)| settle(outcome).err().map(|error| (change.id, error)));
        let Some((id, error)) = lost.into_iter().next() else { return Ok(Refolded::Instances(changes.len())) };
        let Some(delay) = retries.after(&error) else {
            let gave_up = GaveUp::Failed { source: error, tries: retries.failures() };
            return Err(failed::<P>(id, context, gave_up));
        };
        tracing::warn!(%error, ?delay, "instances that were folded anew are not written, trying again");
        wait(delay, context.stop).await.map_err(|_| context.stopped())?;
        stored = load::<P>(guarded, &ids, context).await?;
    }
}

fn failed<P: Projection>(id: &P::Id, context: &FlushContext<'_>, gave_up: GaveUp) -> FeedError {
    match gave_up {
        GaveUp::Stopped => context.stopped(),
        GaveUp::Failed { source, tries } => {
            let at = FailedWrite { instance: Some(id.as_key().to_string()), event: None, tries };
            context.identity.write_failed(at, source)
        }
    }
}

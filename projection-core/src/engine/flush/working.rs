//! Flushing a working set: each state that has changed, once, in slices; the checkpoint with the last.

use std::time::Instant;

use crate::{
    FeedError, Projection, StoreError,
    engine::{
        target::{FlushContext, Flushed},
        waiting::{GaveUp, retried, wait},
        working::{Entry, WorkingSet},
    },
    store::{Change, Checkpoint, CheckpointOutcome, Commit, Expected, GuardedRepository, Stored},
};

use super::guarded::settle;

type Guarded<'a, P> = &'a dyn GuardedRepository<<P as Projection>::State, <P as Projection>::Id>;
type Set<P> = WorkingSet<<P as Projection>::State, <P as Projection>::Id>;

/// How many changes are handed to the repository at once: what it answers for is held in memory.
const SLICE: usize = 50_000;

pub(super) async fn flush<P: Projection>(
    set: &mut Set<P>,
    repository: Guarded<'_, P>,
    context: &FlushContext<'_>,
) -> Result<Flushed, FeedError> {
    let started = Instant::now();
    let places = changed(set);
    let mut checkpoint = CheckpointOutcome::NotJoined;
    let mut slices = places.chunks(SLICE).peekable();
    while let Some(slice) = slices.next() {
        context.go_on()?;
        let claims = context.checkpoint.filter(|_| slices.peek().is_none());
        checkpoint = write::<P>(set, repository, slice.to_vec(), claims, context).await?;
    }
    let events = std::mem::take(&mut set.events);
    set.since = None;
    set.make_room();
    Ok(Flushed { checkpoint, events, instances: places.len(), io: started.elapsed(), ..Flushed::nothing() })
}

/// The places of what is to be written, by id: a tree takes sorted inserts best.
fn changed<S: crate::ViewState, Id: crate::Key>(set: &WorkingSet<S, Id>) -> Vec<usize> {
    let changed = |place: &usize| set.entries.get_index(*place).is_some_and(|(_, entry)| entry.is_changed());
    let mut places: Vec<usize> = (0..set.entries.len()).filter(changed).collect();
    places.sort_unstable_by_key(|place| set.entries.get_index(*place).map(|(id, _)| id));
    places
}

/// Writes the entries at `places`, and again what did not go through, for as long as the strategy says.
async fn write<P: Projection>(
    set: &mut Set<P>,
    repository: Guarded<'_, P>,
    mut places: Vec<usize>,
    mut checkpoint: Option<&Checkpoint>,
    context: &FlushContext<'_>,
) -> Result<CheckpointOutcome, FeedError> {
    let mut retries = context.options.retry().start();
    loop {
        let changes: Vec<_> = places.iter().filter_map(|place| change(set, *place)).collect();
        let commit = Commit { changes: &changes, fence: context.fence, checkpoint: checkpoint.take() };
        let committed = repository.commit(commit).await;
        if matches!(committed.checkpoint, CheckpointOutcome::Fenced) {
            return Err(FeedError::Fenced { projection: context.identity.projection.clone() });
        }
        if committed.outcomes.len() != places.len() {
            let (given, answers) = (places.len(), committed.outcomes.len());
            let text = format!("the repository was given {given} changes and answered for {answers}");
            return Err(context.identity.storage_failed(WRITE, StoreError::permanent(text)));
        }
        let mut failed: Vec<(usize, StoreError)> = Vec::new();
        for (place, outcome) in places.into_iter().zip(committed.outcomes) {
            match (settle(outcome), set.entries.get_index_mut(place)) {
                (Ok(_), Some((_, entry))) => entry.is_stored(),
                (Ok(_), None) => {}
                (Err(error), _) => failed.push((place, error)),
            }
        }
        let Some((_, first)) = failed.first() else { return Ok(committed.checkpoint) };
        let delay = retries.after(first);
        let refused = failed.iter().position(|(_, error)| !retries.accepts(error));
        let (None, Some(delay)) = (refused, delay) else {
            let (place, error) = failed.swap_remove(refused.unwrap_or(0));
            return Err(gave_up(set, place, error, retries.failures(), context));
        };
        tracing::warn!(instances = failed.len(), error = %first, ?delay, "not written, trying again");
        wait(delay, context.stop).await.map_err(|_| context.stopped())?;
        places = look_again::<P>(set, repository, failed, context).await?;
        if places.is_empty() {
            return Ok(CheckpointOutcome::NotJoined);
        }
    }
}

/// Those of `failed` that are still to be written. What turns out to be written needs nothing more; what another has
/// changed ends the run, since the events are gone from memory: it goes on from its checkpoint.
async fn look_again<P: Projection>(
    set: &mut Set<P>,
    repository: Guarded<'_, P>,
    failed: Vec<(usize, StoreError)>,
    context: &FlushContext<'_>,
) -> Result<Vec<usize>, FeedError> {
    let id = |place: usize| set.entries.get_index(place).map(|(id, _)| id.clone());
    let ids: Vec<P::Id> = failed.iter().filter_map(|(place, _)| id(*place)).collect();
    let found = retried(context.options.retry(), context.stop, || repository.load(&ids)).await;
    let found = found.map_err(|gave_up| match gave_up {
        GaveUp::Stopped => context.stopped(),
        GaveUp::Failed { source, .. } => context.identity.storage_failed(WRITE, source),
    })?;
    let mut stored: Vec<Option<Stored<P::State>>> = ids.iter().map(|_| None).collect();
    for (place, found) in found {
        if let Some(slot) = stored.get_mut(place) {
            *slot = Some(found);
        }
    }
    let mut left = Vec::new();
    for ((place, error), stored) in failed.into_iter().zip(stored) {
        let Some((_, entry)) = set.entries.get_index_mut(place) else { continue };
        let stands = stored.map_or(Expected::Absent, |stored| Expected::At(stored.position));
        if stands == Expected::At(entry.folding.position) {
            entry.is_stored();
        } else if stands == entry.expected {
            left.push(place);
        } else {
            let error = StoreError::conflict(error);
            return Err(gave_up(set, place, error, 1, context));
        }
    }
    Ok(left)
}

const WRITE: &str = "its instances cannot be written";

fn change<S, Id>(set: &WorkingSet<S, Id>, place: usize) -> Option<Change<'_, S, Id>> {
    let (id, Entry { folding, expected, .. }) = set.entries.get_index(place)?;
    let (state, offered) = (folding.state.as_ref(), folding.offered.as_slice());
    Some(Change { id, state, position: folding.position, offered, expected: *expected })
}

fn gave_up<S, Id: crate::Key>(
    set: &WorkingSet<S, Id>,
    place: usize,
    source: StoreError,
    tries: usize,
    context: &FlushContext<'_>,
) -> FeedError {
    let found = set.entries.get_index(place);
    FeedError::Write {
        projection: context.identity.projection.clone(),
        instance: found.map(|(id, _)| id.as_key().to_string()),
        event: None,
        position: found.map_or(crate::Position::START, |(_, entry)| entry.folding.position),
        tries,
        source,
    }
}

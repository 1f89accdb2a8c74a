//! Absorbing a page into the working set: routed, what is not in memory loaded in one read, folded.

use std::{cell::Cell, collections::HashMap, sync::Arc, time::Instant};

use super::{
    HandlerTable,
    batch::HandlerMask,
    caught,
    decode::DecodedEvent,
    fold::apply,
    target::{FlushContext, ProjectionTarget},
    waiting::{GaveUp, retried},
    working::WorkingSet,
};
use crate::{FeedError, Key, Keys, Projection, store::GuardedRepository};

/// What became of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absorbed {
    /// It is folded; so many of its events change no instance.
    Whole { skipped: usize },
    /// Nothing of it is folded: an event in it needs the way that can pass over, park or name it.
    Nothing,
    /// Part of it is folded, and a handler panicked: the working set is of no use any more.
    Spoiled,
}

/// One event for one instance.
struct Pair<Id> {
    event: usize,
    handlers: HandlerMask,
    id: Id,
}

pub(super) async fn absorb<P: Projection>(
    target: &mut ProjectionTarget<P>,
    events: &[Arc<DecodedEvent>],
    context: &FlushContext<'_>,
) -> Result<Absorbed, FeedError> {
    let repository = Arc::clone(&target.repository);
    let Some(guarded) = repository.guarded() else { return Ok(Absorbed::Nothing) };
    let Some(set) = &mut target.working else { return Ok(Absorbed::Nothing) };
    let Some(mut pairs) = pairs(&target.table, events) else { return Ok(Absorbed::Nothing) };
    let skipped = skipped(events.len(), &pairs);
    if !target.parked.is_empty() {
        pairs.retain(|pair| target.parked.takes(&pair.id.as_key().to_string(), events[pair.event].meta.position()));
    }
    let places = places::<P>(set, guarded, &pairs, context).await?;
    let spoiled = fold(&target.table, set, events, &pairs, &places).is_err();
    if spoiled {
        return Ok(Absorbed::Spoiled);
    }
    set.measure(places.into_iter());
    Ok(Absorbed::Whole { skipped })
}

fn skipped<Id>(events: usize, pairs: &[Pair<Id>]) -> usize {
    events - pairs.chunk_by(|one, next| one.event == next.event).count()
}

/// What the events change, in their order; `None` if one cannot be decoded or routed.
fn pairs<P: Projection>(table: &HandlerTable<P>, events: &[Arc<DecodedEvent>]) -> Option<Vec<Pair<P::Id>>> {
    let mut pairs = Pairs { all: Vec::with_capacity(events.len()), from: 0, many: HashMap::new() };
    let mut keys = Keys::new();
    for (event, decoded) in events.iter().enumerate() {
        let payload = decoded.payload.as_ref().ok()?;
        pairs.next_event();
        caught(|| {
            for (place, handler) in table.of(payload.as_ref()).iter().enumerate() {
                (handler.keys)(payload.as_ref(), &decoded.meta, &mut keys);
                keys.drain().for_each(|id| pairs.add(event, place, id));
            }
        })
        .ok()?;
    }
    Some(pairs.all)
}

struct Pairs<Id> {
    all: Vec<Pair<Id>>,
    /// Where those of the current event begin.
    from: usize,
    /// The places of an event's instances, once they are many.
    many: HashMap<Id, usize>,
}

/// So many instances of one event are found by looking at each.
const FEW: usize = 16;

impl<Id: Key> Pairs<Id> {
    fn next_event(&mut self) {
        self.from = self.all.len();
        self.many.clear();
    }

    /// Adds a pair, or a handler to the pair that the event has for this instance already (spec: B3).
    fn add(&mut self, event: usize, place: usize, id: Id) {
        let found = if self.all.len() - self.from < FEW {
            self.all[self.from..].iter().position(|pair| pair.id == id).map(|place| self.from + place)
        } else {
            if self.many.is_empty() {
                let of_event = self.all[self.from..].iter().zip(self.from..);
                self.many.extend(of_event.map(|(pair, place)| (pair.id.clone(), place)));
            }
            self.many.get(&id).copied()
        };
        let found = found.unwrap_or_else(|| {
            if !self.many.is_empty() {
                self.many.insert(id.clone(), self.all.len());
            }
            self.all.push(Pair { event, handlers: HandlerMask::default(), id });
            self.all.len() - 1
        });
        self.all[found].handlers.add(place);
    }
}

/// The place of each pair's instance in the working set; those that are not there are read first, all at once.
async fn places<P: Projection>(
    set: &mut WorkingSet<P::State, P::Id>,
    guarded: &dyn GuardedRepository<P::State, P::Id>,
    pairs: &[Pair<P::Id>],
    context: &FlushContext<'_>,
) -> Result<Vec<usize>, FeedError> {
    let failed = |gave_up| match gave_up {
        GaveUp::Stopped => context.stopped(),
        GaveUp::Failed { source, .. } => context.identity.storage_failed("its instances cannot be read", source),
    };
    let knows_all = match set.knows_all {
        Some(knows_all) => knows_all,
        None => {
            let empty = retried(context.options.retry(), context.stop, || guarded.is_empty()).await;
            *set.knows_all.insert(empty.map_err(failed)?)
        }
    };
    let mut added = Vec::new();
    let mut places = Vec::with_capacity(pairs.len());
    for pair in pairs {
        let place = match set.entries.get_index_of(&pair.id) {
            Some(place) => place,
            None => {
                if !knows_all {
                    added.push(pair.id.clone());
                }
                set.add(pair.id.clone(), None)
            }
        };
        places.push(place);
    }
    if !added.is_empty() {
        let found = retried(context.options.retry(), context.stop, || guarded.load(&added)).await;
        for (place, stored) in found.map_err(failed)? {
            if let Some(entry) = added.get(place).and_then(|id| set.entries.get_mut(id)) {
                *entry = super::working::Entry::of(Some(stored));
            }
        }
    }
    Ok(places)
}

fn fold<P: Projection>(
    table: &HandlerTable<P>,
    set: &mut WorkingSet<P::State, P::Id>,
    events: &[Arc<DecodedEvent>],
    pairs: &[Pair<P::Id>],
    places: &[usize],
) -> Result<(), String> {
    let (counted, last) = (Cell::new(0), Cell::new(usize::MAX));
    caught(|| {
        for (pair, place) in pairs.iter().zip(places) {
            let event = &events[pair.event];
            let Some((id, entry)) = set.entries.get_index_mut(*place) else { continue };
            if entry.folding.knows(event) {
                continue;
            }
            apply(table, id, &mut entry.folding.state, event, pair.handlers);
            entry.folding.remember(event);
            if last.replace(pair.event) != pair.event {
                counted.set(counted.get() + 1);
            }
        }
    })?;
    set.events += counted.get();
    if set.events > 0 {
        set.since.get_or_insert_with(Instant::now);
    }
    Ok(())
}

//! What a projection says of itself, written down, and an engine of a few lines that folds by it one event at a time.

use std::collections::BTreeMap;

use projection_core::{
    Event, EventMetadata, EventRef, EventSet, EventVisitor, Handlers, Index, Key as _, Keys, Position, Projection,
    projection::{Fold, KeysOf},
};
use serde_json::Value;

/// An event as a store has it: its stream, its name, its data.
pub(super) type Stored = (&'static str, &'static str, Value);

/// The states of all instances, as they are stored, by their keys' text.
pub(super) type States = BTreeMap<String, Value>;

/// Asserts that `Macro` and `Twin` are one projection: in what they say, and, event by event, in what they do.
///
/// Answers the states after each event.
pub(super) fn assert_twins<Macro, Twin>(history: &[Stored]) -> Vec<States>
where
    Macro: Projection,
    Twin: Projection,
{
    assert_eq!(Facts::of::<Macro>(), Facts::of::<Twin>());
    let (by_macro, by_hand) = (states::<Macro>(history), states::<Twin>(history));
    assert_eq!(by_macro, by_hand);
    by_macro
}

/// What a projection says besides its functions.
#[derive(Debug, PartialEq)]
struct Facts {
    name: &'static str,
    version: u32,
    batch_size: usize,
    indexes: Vec<Index>,
    handled: Vec<Vec<&'static str>>,
}

impl Facts {
    fn of<P: Projection>() -> Self {
        Self {
            name: P::NAME,
            version: P::VERSION,
            batch_size: P::options().batch_size(),
            indexes: P::indexes(),
            handled: Recorder::<P>::of().0.into_iter().map(|handler| handler.names).collect(),
        }
    }
}

type KeysOfStored<P> = dyn Fn(&Stored, &EventMetadata, &mut Keys<<P as Projection>::Id>);
type FoldOfStored<P> =
    dyn Fn(&mut Option<<P as Projection>::State>, &Stored, &EventMetadata, &<P as Projection>::Id);

/// A handler for events of these names, which folds one that it decodes itself.
struct Recorded<P: Projection> {
    names: Vec<&'static str>,
    keys: Box<KeysOfStored<P>>,
    fold: Box<FoldOfStored<P>>,
}

struct Recorder<P: Projection>(Vec<Recorded<P>>);

impl<P: Projection> Recorder<P> {
    fn of() -> Self {
        let mut recorder = Self(Vec::new());
        P::handlers(&mut recorder);
        recorder
    }
}

impl<P: Projection> Handlers<P> for Recorder<P> {
    fn on<E: EventSet>(&mut self, keys: KeysOf<P, E>, fold: Fold<P, E>) -> &mut Self {
        self.0.push(Recorded {
            names: E::TYPES.iter().flat_map(|event| event.names()).collect(),
            keys: Box::new(move |event, meta, found| keys(&decode::<E>(event), meta, found)),
            fold: Box::new(move |state, event, meta, id| fold(state, &decode::<E>(event), meta, id)),
        });
        self
    }
}

/// The event as the set has it.
fn decode<Set: EventSet>((_, name, data): &Stored) -> Set {
    struct Decode<'a, Set>(&'a str, &'a Value, Option<Set>);

    impl<Set> EventVisitor<Set> for Decode<'_, Set> {
        fn event<E: Event>(&mut self, wrap: fn(E) -> Set) {
            if E::NAME == self.0 || E::ALIASES.contains(&self.0) {
                self.2 = Some(wrap(serde_json::from_value(self.1.clone()).unwrap()));
            }
        }
    }

    let mut decode = Decode(name, data, None);
    Set::visit(&mut decode);
    decode.2.unwrap()
}

/// The states after each event. All handlers of one event that hit one instance are one step (spec: B3).
fn states<P: Projection>(history: &[Stored]) -> Vec<States> {
    let handlers = Recorder::<P>::of().0;
    let mut states: BTreeMap<P::Id, P::State> = BTreeMap::new();
    let mut after_each = Vec::new();
    for (position, event) in (1..).zip(history) {
        let meta = metadata(position, event);
        let handled = handlers.iter().filter(|handler| handler.names.contains(&event.1));
        let mut hit: BTreeMap<P::Id, Vec<&Recorded<P>>> = BTreeMap::new();
        for handler in handled {
            let mut keys = Keys::new();
            (handler.keys)(event, &meta, &mut keys);
            let mut keys: Vec<_> = keys.drain().collect();
            keys.sort();
            keys.dedup();
            for key in keys {
                hit.entry(key).or_default().push(handler);
            }
        }
        for (id, handlers) in hit {
            let mut state = states.remove(&id);
            for handler in handlers {
                (handler.fold)(&mut state, event, &meta, &id);
            }
            states.extend(state.map(|state| (id, state)));
        }
        let stored =
            |(id, state): (&P::Id, &P::State)| (id.as_key().to_string(), serde_json::to_value(state).unwrap());
        after_each.push(states.iter().map(stored).collect());
    }
    after_each
}

fn metadata(position: u64, (stream, name, _): &Stored) -> EventMetadata {
    let id = EventRef::new("shop", position.to_string());
    EventMetadata::new(Position::try_from(position).unwrap(), id, *name, *stream)
}

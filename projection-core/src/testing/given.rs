//! Given these events, expect these instances.

use std::{collections::BTreeMap, sync::Arc};

use serde::Serialize;
use time::OffsetDateTime;

use crate::{
    Event, EventMetadata, EventRef, Key, Position, Projection, StreamId,
    comparable::{comparable, json, through_json},
    engine::{Batch, DecodedEvent, Decoders, Folding, HandlerTable, fold_instance, route},
    memory::InMemoryEventStore,
    store::Stored,
};

/// Begins a test of `P`: name the events, then say what to expect.
///
/// Each event goes through JSON, as it would through a store. The events are folded twice: as one batch, and one by
/// one with the state going through JSON in between; a difference fails the test, since a replay and a live view would
/// differ in the same way.
///
/// ```
/// use projection_core::{Event, projection, testing::given};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Event)]
/// #[event(name = "Deposited")]
/// struct Deposited { cents: i64 }
///
/// #[derive(Serialize, Deserialize, Event)]
/// #[event(name = "Closed")]
/// struct Closed {}
///
/// #[derive(Default, Serialize, Deserialize)]
/// struct Balance { cents: i64 }
///
/// #[projection(name = "balance")]
/// impl Balance {
///     #[on] fn deposited(&mut self, event: &Deposited) { self.cents += event.cents; }
///     #[on] fn closed(self, _: &Closed) -> Option<Self> { None }
/// }
///
/// given::<Balance>()
///     .event(Deposited { cents: 5 }).on_stream("a")
///     .event(Deposited { cents: 7 })
///     .event(Deposited { cents: 1 }).on_stream("b")
///     .event(Closed {})
///     .expect(&"a".into(), |balance| assert_eq!(balance.cents, 12))
///     .expect_none(&"b".into());
/// ```
///
/// # Panics
///
/// When two event types of the projection share a name.
#[expect(clippy::panic, reason = "a failed check is a panic, as in every test")]
#[must_use = "name the events, then say what to expect"]
pub fn given<P: Projection>() -> Given<P> {
    let decoders = match Decoders::of_projection::<P>() {
        Ok(decoders) => decoders,
        Err(name) => panic!("two event types of projection `{}` are both named `{name}`", P::NAME),
    };
    let table = HandlerTable::<P>::new();
    let (most, allowed) = (table.most_for_one_event(), HandlerTable::<P>::CAPACITY);
    assert!(
        most <= allowed,
        "one event of projection `{}` has {most} handlers; at most {allowed} are allowed",
        P::NAME
    );
    Given { table, decoders, events: Vec::new() }
}

/// The events of a test. Its checks panic, as a test's assertions do.
pub struct Given<P: Projection> {
    table: HandlerTable<P>,
    decoders: Decoders<InMemoryEventStore>,
    events: Vec<Happened>,
}

struct Happened {
    name: &'static str,
    data: serde_json::Value,
    stream: StreamId,
    time: Option<OffsetDateTime>,
}

type States<P> = BTreeMap<<P as Projection>::Id, <P as Projection>::State>;

#[expect(clippy::panic, reason = "a failed check is a panic, as in every test")]
impl<P: Projection> Given<P> {
    /// Then this happened, in the stream of the event before it, or in `stream-1`.
    ///
    /// # Panics
    ///
    /// When the event cannot be written as JSON.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a test reads better without a borrow")]
    #[must_use = "say what to expect"]
    pub fn event<E: Event + Serialize>(mut self, event: E) -> Self {
        let data = match serde_json::to_value(&event) {
            Ok(data) => data,
            Err(error) => {
                panic!("event {} `{}` cannot be written as JSON: {error}", self.events.len() + 1, E::NAME)
            }
        };
        let (stream, time) = match self.events.last() {
            Some(last) => (last.stream.clone(), last.time),
            None => ("stream-1".into(), None),
        };
        self.events.push(Happened { name: E::NAME, data, stream, time });
        self
    }

    /// Puts the last event, and those that follow, into this stream.
    ///
    /// # Panics
    ///
    /// When there is no event yet.
    #[track_caller]
    #[must_use = "say what to expect"]
    pub fn on_stream(mut self, stream: impl Into<StreamId>) -> Self {
        self.last("on_stream").stream = stream.into();
        self
    }

    /// Lets the last event, and those that follow, happen at this time.
    ///
    /// # Panics
    ///
    /// When there is no event yet.
    #[track_caller]
    #[must_use = "say what to expect"]
    pub fn at(mut self, time: OffsetDateTime) -> Self {
        self.last("at").time = Some(time);
        self
    }

    #[track_caller]
    fn last(&mut self, call: &str) -> &mut Happened {
        match self.events.last_mut() {
            Some(last) => last,
            None => panic!("`{call}` says something of the event before it, and there is none: call `event` first"),
        }
    }

    /// The instance `id` exists, and `check` accepts its state.
    ///
    /// # Panics
    ///
    /// When it does not exist, a handler panics, or the two ways of folding differ.
    #[track_caller]
    pub fn expect(self, id: &P::Id, check: impl FnOnce(&P::State)) -> Self {
        let states = self.states();
        match states.get(id) {
            Some(state) => check(state),
            None => panic!("instance {} does not exist; there are: {}", id.as_key(), names::<P>(&states)),
        }
        self
    }

    /// The instance `id` does not exist.
    ///
    /// # Panics
    ///
    /// When it exists, a handler panics, or the two ways of folding differ.
    #[track_caller]
    pub fn expect_none(self, id: &P::Id) -> Self {
        if let Some(state) = self.states().get(id) {
            panic!("instance {} exists: {}", id.as_key(), expected(json(state)));
        }
        self
    }

    /// There are so many instances.
    ///
    /// # Panics
    ///
    /// When there are more or fewer, a handler panics, or the two ways of folding differ.
    #[track_caller]
    pub fn expect_instances(self, count: usize) -> Self {
        let states = self.states();
        assert!(
            states.len() == count,
            "expected {count} instances, there are {}: {}",
            states.len(),
            names::<P>(&states)
        );
        self
    }

    #[track_caller]
    fn states(&self) -> States<P> {
        let events: Vec<_> =
            self.events.iter().enumerate().filter_map(|(place, event)| self.decoded(place, event)).collect();
        let mut batched = States::<P>::new();
        self.fold(&mut batched, &events);
        let mut one_by_one = States::<P>::new();
        for event in &events {
            self.fold(&mut one_by_one, std::slice::from_ref(event));
            one_by_one = one_by_one.into_iter().map(|(id, state)| (id, expected(through_json(&state)))).collect();
        }
        let (all, single) = (printed::<P>(&batched), printed::<P>(&one_by_one));
        assert!(
            all == single,
            "projection `{}` folds differently in a batch and one by one. Does its state survive JSON?\n batched: {all:#?}\n \
             one by one: {single:#?}",
            P::NAME,
        );
        batched
    }

    /// The event as a store would give it; `None` where no handler takes it.
    #[track_caller]
    fn decoded(&self, place: usize, event: &Happened) -> Option<Arc<DecodedEvent>> {
        let number = place + 1;
        let payload = match self.decoders.json(event.name, &event.data)? {
            Ok(payload) => payload,
            Err(error) => {
                panic!("event {number} `{}` cannot be read back from its JSON {}: {error}", event.name, event.data)
            }
        };
        let position = u32::try_from(number).map_or(Position::START, Position::from);
        let event_ref = EventRef::new("test", number.to_string());
        let mut meta = EventMetadata::new(position, event_ref, event.name, event.stream.clone());
        let version = self.events[..=place].iter().filter(|other| other.stream == event.stream).count();
        meta = meta.with_stream_version(version as u64);
        if let Some(time) = event.time {
            meta = meta.with_time(time);
        }
        Some(Arc::new(DecodedEvent { meta, bytes: 0, payload: Ok(payload), stored: true }))
    }

    #[track_caller]
    fn fold(&self, states: &mut States<P>, events: &[Arc<DecodedEvent>]) {
        let mut batch = Batch::new();
        for event in events {
            if let Err(error) = route(&self.table, &mut batch, event) {
                panic!("event {} `{}`: {error}", event.meta.position(), event.meta.name());
            }
        }
        for (id, steps) in batch.instances {
            let stored = states.remove(&id).map(|state| Stored {
                state: Some(state),
                position: Position::START,
                offered: Vec::new(),
                bytes: 0,
            });
            let mut folding = Folding::from_stored(stored);
            if let Err(panicked) = fold_instance(&self.table, &id, &mut folding, &steps, &[]) {
                let meta = &steps[panicked.step].event.meta;
                panic!(
                    "event {} `{}`, instance {}: its handler {}",
                    meta.position(),
                    meta.name(),
                    id.as_key(),
                    panicked.message
                );
            }
            if let Some(state) = folding.state {
                states.insert(id, state);
            }
        }
    }
}

#[track_caller]
#[expect(clippy::panic, reason = "a failed check is a panic, as in every test")]
fn expected<T>(found: Result<T, String>) -> T {
    found.unwrap_or_else(|message| panic!("{message}"))
}

#[track_caller]
fn printed<P: Projection>(states: &States<P>) -> BTreeMap<String, serde_json::Value> {
    states.iter().map(|(id, state)| (id.as_key().to_string(), expected(comparable(state)))).collect()
}

fn names<P: Projection>(states: &States<P>) -> String {
    if states.is_empty() {
        return "none".to_owned();
    }
    states.keys().map(|id| id.as_key().to_string()).collect::<Vec<_>>().join(", ")
}

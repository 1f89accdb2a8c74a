//! Decoding: a store's bytes straight into the type a handler takes.

use std::{
    any::{Any, TypeId},
    collections::{BTreeSet, HashMap},
    marker::PhantomData,
    sync::Arc,
    time::Duration,
};

use super::caught;
use crate::{
    Event, EventMetadata, EventSet, EventVisitor, Position, StoreError,
    projection::{Fold, Handlers, KeysOf, Projection},
    store::{EventPage, EventStore, RawEvent},
};

/// A decoded event: the value of the type its handlers take.
pub(crate) type Payload = Arc<dyn Any + Send + Sync>;

/// One event, decoded once, shared by all instances it changes.
#[derive(Debug)]
pub(crate) struct DecodedEvent {
    pub meta: EventMetadata,
    pub bytes: usize,
    /// The value, or why it could not be decoded.
    pub payload: Result<Payload, StoreError>,
    /// Whether the store holds it. One that it does not hold has no position.
    pub stored: bool,
}

/// The decoded events of one read.
#[derive(Debug)]
pub(crate) struct DecodedPage {
    pub events: Vec<Arc<DecodedEvent>>,
    pub covers: Position,
    pub read: Duration,
    pub decode: Duration,
}

pub(crate) type Raw<'a, S> = <<S as EventStore>::Page as EventPage>::Raw<'a>;

/// Decodes one kind of event, from a store's bytes or from JSON.
pub(crate) trait Decode<S: EventStore>: Send + Sync {
    fn stored(&self, raw: &Raw<'_, S>) -> Result<Payload, StoreError>;
    fn json(&self, data: &serde_json::Value) -> Result<Payload, StoreError>;
    fn makes(&self) -> TypeId;
}

/// An `E`, wrapped into the set that a handler takes.
struct Wrapped<E, Set> {
    wrap: fn(E) -> Set,
}

impl<S: EventStore, E: Event, Set: EventSet> Decode<S> for Wrapped<E, Set> {
    fn stored(&self, raw: &Raw<'_, S>) -> Result<Payload, StoreError> {
        let event = caught(|| raw.decode::<E>()).map_err(StoreError::poison)??;
        Ok(Arc::new((self.wrap)(event)))
    }

    fn json(&self, data: &serde_json::Value) -> Result<Payload, StoreError> {
        let event = caught(|| E::deserialize(data)).map_err(StoreError::poison)?.map_err(StoreError::poison)?;
        Ok(Arc::new((self.wrap)(event)))
    }

    fn makes(&self) -> TypeId {
        TypeId::of::<Set>()
    }
}

/// The decoders of everything a view handles, by event name.
pub(crate) struct Decoders<S: EventStore> {
    by_name: HashMap<&'static str, Arc<dyn Decode<S>>>,
    clash: Option<&'static str>,
}

impl<S: EventStore> Decoders<S> {
    /// The decoders for a projection's handlers; `Err` is a name that two different event types claim.
    pub(crate) fn of_projection<P: Projection>() -> Result<Self, &'static str> {
        let mut decoders = Self::empty();
        P::handlers(&mut Collector(&mut decoders));
        decoders.checked()
    }

    /// The decoders for one set of events.
    pub(crate) fn of_set<Set: EventSet>() -> Result<Self, &'static str> {
        let mut decoders = Self::empty();
        decoders.add::<Set>();
        decoders.checked()
    }

    fn empty() -> Self {
        Self { by_name: HashMap::new(), clash: None }
    }

    fn checked(self) -> Result<Self, &'static str> {
        self.clash.map_or(Ok(self), Err)
    }

    fn add<Set: EventSet>(&mut self) {
        Set::visit(&mut SetCollector(self, PhantomData));
    }

    /// Every name handled, with aliases, sorted.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        self.by_name.keys().map(|name| (*name).to_owned()).collect()
    }

    /// Each name, and how it is decoded.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, Arc<dyn Decode<S>>)> + '_ {
        self.by_name.iter().map(|(name, decoder)| (*name, Arc::clone(decoder)))
    }

    /// Each name, and the type it is decoded into.
    pub(crate) fn types(&self) -> HashMap<&'static str, TypeId> {
        self.by_name.iter().map(|(name, decoder)| (*name, decoder.makes())).collect()
    }

    pub(crate) fn event(&self, raw: &Raw<'_, S>) -> DecodedEvent {
        let payload = match self.by_name.get(raw.name()) {
            Some(decoder) => decoder.stored(raw),
            None => {
                Err(StoreError::permanent(format!("the store returned `{}`, which was not asked for", raw.name())))
            }
        };
        DecodedEvent { meta: raw.metadata(), bytes: raw.size(), payload, stored: true }
    }

    /// The payload of an event given as JSON; `None` where no handler takes its name.
    pub(crate) fn json(&self, name: &str, data: &serde_json::Value) -> Option<Result<Payload, StoreError>> {
        self.by_name.get(name).map(|decoder| decoder.json(data))
    }
}

struct Collector<'a, S: EventStore>(&'a mut Decoders<S>);

impl<S: EventStore, P: Projection> Handlers<P> for Collector<'_, S> {
    fn on<E: EventSet>(&mut self, _: KeysOf<P, E>, _: Fold<P, E>) -> &mut Self {
        self.0.add::<E>();
        self
    }
}

struct SetCollector<'a, S: EventStore, Set>(&'a mut Decoders<S>, PhantomData<Set>);

impl<S: EventStore, Set: EventSet> EventVisitor<Set> for SetCollector<'_, S, Set> {
    fn event<E: Event>(&mut self, wrap: fn(E) -> Set) {
        for name in std::iter::once(E::NAME).chain(E::ALIASES.iter().copied()) {
            match self.0.by_name.get(name) {
                Some(other) if other.makes() != TypeId::of::<Set>() => self.0.clash = Some(name),
                Some(_) => {}
                None => drop(self.0.by_name.insert(name, Arc::new(Wrapped { wrap }))),
            }
        }
    }
}

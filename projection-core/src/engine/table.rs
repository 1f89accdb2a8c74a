//! A projection's handlers, found by the type of a decoded event.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
};

use crate::{
    EventMetadata, EventSet, Keys,
    projection::{Fold, Handlers, KeysOf, Projection},
};

type ErasedKeys<P> = Box<dyn Fn(&dyn Any, &EventMetadata, &mut Keys<<P as Projection>::Id>) + Send + Sync>;
type ErasedFold<P> = Box<
    dyn Fn(&mut Option<<P as Projection>::State>, &dyn Any, &EventMetadata, &<P as Projection>::Id) + Send + Sync,
>;

/// One handler: which instances, and how each changes.
pub(crate) struct Handler<P: Projection> {
    pub keys: ErasedKeys<P>,
    pub fold: ErasedFold<P>,
}

/// The handlers of a projection, by the type of event, in source order.
pub(crate) struct HandlerTable<P: Projection> {
    by_type: HashMap<TypeId, Vec<Handler<P>>>,
}

impl<P: Projection> HandlerTable<P> {
    /// The table of `P`'s handlers.
    pub(crate) fn new() -> Self {
        let mut table = Self { by_type: HashMap::new() };
        P::handlers(&mut table);
        table
    }

    /// The handlers for an event of this type; empty where there are none.
    pub(crate) fn of(&self, event: &(dyn Any + Send + Sync)) -> &[Handler<P>] {
        self.by_type.get(&event.type_id()).map_or(&[], Vec::as_slice)
    }

    /// How many handlers one event may have.
    pub(crate) const CAPACITY: usize = super::batch::HandlerMask::CAPACITY;

    /// How many handlers the busiest event has.
    pub(crate) fn most_for_one_event(&self) -> usize {
        self.by_type.values().map(Vec::len).max().unwrap_or(0)
    }
}

impl<P: Projection> Handlers<P> for HandlerTable<P> {
    fn on<E: EventSet>(&mut self, keys: KeysOf<P, E>, fold: Fold<P, E>) -> &mut Self {
        let handler = Handler {
            keys: Box::new(move |event, meta, found| {
                if let Some(event) = event.downcast_ref::<E>() {
                    keys(event, meta, found);
                }
            }),
            fold: Box::new(move |state, event, meta, id| {
                if let Some(event) = event.downcast_ref::<E>() {
                    fold(state, event, meta, id);
                }
            }),
        };
        self.by_type.entry(TypeId::of::<E>()).or_default().push(handler);
        self
    }
}

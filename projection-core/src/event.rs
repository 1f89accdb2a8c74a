//! Events as a projection's handlers see them: one struct for each kind, or an enum over several.

use serde::de::DeserializeOwned;

mod names;

pub use names::EventType;
#[doc(hidden)]
pub use names::share_a_name;

/// One kind of event: a struct that a store's bytes are decoded into, and the name it is stored under.
///
/// Implement it with `#[derive(Event)]`:
///
/// ```
/// # use projection_core::Event; use serde::{Serialize, Deserialize};
/// #[derive(Serialize, Deserialize, Event)]
/// #[event(name = "OrderPlaced", aliases = ["OrderCreated"])]
/// struct OrderPlaced { order_id: String, total_cents: i64 }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no event",
    label = "not an event",
    note = "write `#[derive(serde::Deserialize, Event)]` above the struct, or `#[derive(EventSet)]` above an enum of events"
)]
pub trait Event: DeserializeOwned + Send + Sync + 'static {
    /// The name the event is stored under (the CloudEvents `type`).
    const NAME: &'static str;

    /// Names it was stored under before; decoded the same way.
    const ALIASES: &'static [&'static str] = &[];
}

/// What a handler takes: an [`Event`], or an enum with one variant for each of several events.
///
/// Every [`Event`] is a set of one. Implement it for an enum with `#[derive(EventSet)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no event",
    label = "not an event",
    note = "write `#[derive(serde::Deserialize, Event)]` above the struct, or `#[derive(EventSet)]` above an enum of events"
)]
pub trait EventSet: Sized + Send + Sync + 'static {
    /// The events of the set. No two of them may share a name.
    const TYPES: &'static [EventType];

    /// Calls `visitor` once for each event of the set.
    fn visit<V: EventVisitor<Self>>(visitor: &mut V);
}

/// Is told, by an [`EventSet`], of each of its events and how to make the set from it.
pub trait EventVisitor<Set> {
    /// `E` belongs to the set; `wrap` makes the set's value from an `E`.
    fn event<E: Event>(&mut self, wrap: fn(E) -> Set);
}

#[diagnostic::do_not_recommend]
impl<E: Event> EventSet for E {
    const TYPES: &'static [EventType] = &[EventType::of::<E>()];

    fn visit<V: EventVisitor<Self>>(visitor: &mut V) {
        visitor.event::<E>(|event| event);
    }
}

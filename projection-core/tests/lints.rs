//! What the macros write breaks no lint of the user's crate, whatever it denies.
#![deny(warnings, missing_docs, unreachable_pub, missing_debug_implementations, clippy::pedantic, clippy::nursery)]

use projection_core::{Event, EventMetadata, EventSet, Key, StreamId, projection};
use serde::{Deserialize, Serialize};

/// An id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Key)]
pub struct OrderId(String);

/// An event.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, Event)]
#[event(name = "OrderDeleted", aliases = ["OrderRemoved"])]
pub struct OrderDeleted {
    /// A field.
    pub at: i64,
}

/// An event.
#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced")]
pub struct OrderPlaced {
    /// The order.
    pub order_id: OrderId,
}

/// Both.
#[derive(Debug, EventSet)]
pub enum OrderEvent {
    /// One.
    Placed(OrderPlaced),
    /// The other.
    Deleted(OrderDeleted),
}

/// A view.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Order {
    /// A field.
    pub placed: bool,
}

#[projection(name = "order", id = StreamId, batch_size = 10 + 1, version = 2, index(placed), unique(-placed))]
impl Order {
    #[on]
    fn placed(_: &OrderPlaced) -> Option<Self> {
        Some(Self { placed: true })
    }

    #[on(key = meta.stream_id())]
    fn changed(&mut self, _: &OrderPlaced, _id: &StreamId, _meta: &EventMetadata) {
        self.placed = true;
    }

    #[on]
    fn deleted(self, _: &OrderDeleted) -> Option<Self> {
        None
    }
}

/// A projection that is a function.
#[must_use]
#[projection(name = "orders", singleton)]
pub fn orders(state: Option<Order>, event: &OrderEvent) -> Option<Order> {
    match event {
        OrderEvent::Placed(_) => state,
        OrderEvent::Deleted(_) => None,
    }
}

/// A projection that is a function.
#[projection(name = "order-ids", id = OrderId, key = match event {
    OrderEvent::Placed(placed) => Some(&placed.order_id),
    OrderEvent::Deleted(_) => None,
})]
fn order_ids(state: Order, _: &OrderEvent) -> Order {
    state
}

#[test]
fn a_function_is_registered_by_its_name() {
    fn name<P: projection_core::Projection>() -> &'static str {
        P::NAME
    }
    assert_eq!([name::<orders>(), name::<order_ids>()], ["orders", "order-ids"]);
}

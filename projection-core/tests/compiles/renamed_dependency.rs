//! A service that has the crate under another name says so, in each attribute.

mod vendored {
    pub(super) use projection_core as events;
}

use vendored::events::{Event, EventSet, Key, projection};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, Key)]
#[key(crate = self::vendored::events)]
struct OrderId(String);

#[derive(serde::Serialize, serde::Deserialize, Event)]
#[event(name = "OrderPlaced", crate = self::vendored::events)]
struct OrderPlaced {
    order_id: OrderId,
}

#[derive(EventSet)]
#[event_set(crate = self::vendored::events)]
enum OrderEvent {
    Placed(OrderPlaced),
}

#[derive(Default, serde::Serialize, serde::Deserialize)]
struct OrderStatus {
    placed: bool,
}

#[projection(
    name = "order-status",
    id = OrderId,
    key = event.order_id,
    batch_size = 200,
    version = 2,
    index(placed),
    crate = self::vendored::events
)]
impl OrderStatus {
    #[on]
    fn placed(&mut self, _: &OrderPlaced) {
        self.placed = true;
    }

    #[on(key = &event.order_id)]
    fn placed_again(self, _: &OrderPlaced) -> Option<Self> {
        Some(self)
    }
}

#[projection(name = "orders", singleton, crate = self::vendored::events)]
fn orders(state: OrderStatus, event: &OrderEvent) -> OrderStatus {
    let OrderEvent::Placed(placed) = event;
    OrderStatus { placed: state.placed || placed.order_id.0.is_empty() }
}

#[test]
fn a_renamed_dependency_is_named_in_each_attribute() {
    assert_eq!(crate::handlers_of::<OrderStatus>(), ("order-status", 2));
    assert_eq!(crate::handlers_of::<orders>(), ("orders", 1));
}

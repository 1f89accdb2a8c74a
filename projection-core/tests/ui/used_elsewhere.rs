use projection_core::{Event, Projection, projection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced")]
struct OrderPlaced {
    order_id: String,
}

#[derive(Default, Serialize, Deserialize)]
struct OrderStatus {
    placed: bool,
}

#[projection(name = "order-status", id = String, key = event.order_id)]
impl OrderStatus {
    #[on]
    async fn placed(&mut self, _: &OrderPlaced) {
        self.placed = true;
    }
}

#[projection(name = "orders", id = String, key = event.order_id, version = 0)]
fn orders(state: OrderStatus, _: &OrderPlaced) -> OrderStatus {
    state
}

#[derive(Serialize, Deserialize, Event)]
struct OrderShipped;

fn register<P: Projection<Id = String>>() {}

fn event<E: Event>() {}

// Whoever uses what is wrong is not reported too.
fn main() {
    register::<OrderStatus>();
    register::<orders>();
    event::<OrderShipped>();
}

use projection_core::{Event, StreamId, projection};
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

#[projection(name = "order-status")]
impl OrderStatus {
    #[on]
    fn placed(&mut self, _: &OrderPlaced, id: StreamId) {
        self.placed = id.as_str() != "";
    }
}

fn main() {}

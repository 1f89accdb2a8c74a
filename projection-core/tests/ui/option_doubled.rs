use projection_core::{Event, projection};
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

#[projection(name = "order-status", version = 1, version = 2)]
impl OrderStatus {
    #[on]
    fn placed(&mut self, _: &OrderPlaced) {
        self.placed = true;
    }
}

fn main() {}

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

#[projection(name = "order-status", id = String)]
impl OrderStatus {
    #[on(key = event.order_id)]
    fn placed(&mut self, _: &OrderPlaced) {
        self.placed = true;
    }

    #[on]
    fn placed_again(&mut self, _: &OrderPlaced) {}
}

fn main() {}

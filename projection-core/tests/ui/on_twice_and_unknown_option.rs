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

#[projection(name = "order-status")]
impl OrderStatus {
    #[on]
    #[on]
    fn placed(&mut self, _: &OrderPlaced) {
        self.placed = true;
    }

    #[on(batch_size = 5)]
    fn again(&mut self, _: &OrderPlaced) {}

    #[on(keys = event.order_id)]
    fn and_again(&mut self, _: &OrderPlaced) {}
}

fn main() {}

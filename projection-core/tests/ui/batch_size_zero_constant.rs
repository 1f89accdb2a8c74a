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

const PER_BATCH: usize = 1;

#[projection(name = "order-status", batch_size = PER_BATCH - 1)]
impl OrderStatus {
    #[on]
    fn placed(&mut self, _: &OrderPlaced) {
        self.placed = true;
    }
}

fn main() {}

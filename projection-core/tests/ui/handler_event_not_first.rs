use projection_core::{Event, EventMetadata, projection};
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
    fn placed(&mut self, meta: &EventMetadata, _: &OrderPlaced) {
        self.placed = meta.stream_version() > 0;
    }
}

fn main() {}

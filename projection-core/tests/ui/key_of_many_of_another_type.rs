use projection_core::{Event, projection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced")]
struct OrderPlaced {
    lines: Vec<String>,
}

#[derive(Default, Serialize, Deserialize)]
struct OrderStatus {
    placed: bool,
}

#[projection(name = "order-status", id = i64, key = event.lines.iter())]
impl OrderStatus {
    #[on]
    fn placed(&mut self, _: &OrderPlaced) {
        self.placed = true;
    }
}

fn main() {}

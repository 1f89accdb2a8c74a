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
fn order_status(state: &OrderStatus, _: &OrderPlaced) -> OrderStatus {
    OrderStatus { placed: !state.placed }
}

fn main() {}

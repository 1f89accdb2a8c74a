use projection_core::{Event, EventSet};
use serde::{Deserialize, Serialize};

struct OrderShipped;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced")]
struct OrderPlaced;

#[derive(EventSet)]
enum OrderEvent {
    Placed(OrderPlaced),
    Shipped(OrderShipped),
}

fn main() {}

use projection_core::{Event, EventSet};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced")]
struct OrderPlaced;

#[derive(EventSet)]
enum OrderEvent {
    Placed(OrderPlaced),
    Shipped,
    Paid { cents: i64 },
    Both(OrderPlaced, OrderPlaced),
}

fn main() {}

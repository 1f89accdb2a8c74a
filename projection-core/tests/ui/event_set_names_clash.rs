use projection_core::{Event, EventSet};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced")]
struct OrderPlaced;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderMade", aliases = ["OrderPlaced"])]
struct OrderMade;

#[derive(EventSet)]
enum OrderEvent {
    Placed(OrderPlaced),
    Made(OrderMade),
    Again(OrderPlaced),
}

fn main() {}

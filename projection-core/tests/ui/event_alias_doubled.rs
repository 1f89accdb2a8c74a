use projection_core::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced", aliases = ["OrderPlaced", "OrderCreated", "OrderCreated"])]
struct OrderPlaced;

fn main() {}

use projection_core::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced", alias = ["OrderCreated"], name = "OrderMade")]
struct OrderPlaced;

fn main() {}

use projection_core::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "Order")]
enum OrderEvent {
    Placed,
}

fn main() {}

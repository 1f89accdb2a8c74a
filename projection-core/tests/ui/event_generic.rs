use projection_core::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "Order")]
struct Order<T>(T);

fn main() {}

use projection_core::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
struct OrderPlaced;

fn main() {}

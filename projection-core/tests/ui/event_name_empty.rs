use projection_core::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "", aliases = [""])]
struct OrderPlaced;

fn main() {}

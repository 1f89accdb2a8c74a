use projection_core::{Event, projection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced")]
struct OrderPlaced {
    order_id: String,
}

#[derive(Serialize, Deserialize)]
struct Empty;

#[derive(Serialize, Deserialize)]
struct Space;

#[derive(Serialize, Deserialize)]
struct Dollar;

#[derive(Serialize, Deserialize)]
struct System;

#[projection(name = "")]
impl Empty {
    #[on]
    fn placed(_: &OrderPlaced) -> Self {
        Self
    }
}

#[projection(name = "order status")]
impl Space {
    #[on]
    fn placed(_: &OrderPlaced) -> Self {
        Self
    }
}

#[projection(name = "$orders")]
impl Dollar {
    #[on]
    fn placed(_: &OrderPlaced) -> Self {
        Self
    }
}

#[projection(name = "system.orders")]
impl System {
    #[on]
    fn placed(_: &OrderPlaced) -> Self {
        Self
    }
}

fn main() {}

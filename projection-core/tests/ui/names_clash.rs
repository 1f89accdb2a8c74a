use projection_core::{Event, projection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced", aliases = ["OrderCreated"])]
struct OrderPlaced {
    order_id: String,
}

#[derive(Default, Serialize, Deserialize)]
struct OrderStatus {
    placed: bool,
}

mod v1 {
    #[derive(serde::Serialize, serde::Deserialize, projection_core::Event)]
    #[event(name = "OrderCreated")]
    pub struct OrderCreated;
}

#[projection(name = "order-status")]
impl OrderStatus {
    #[on]
    fn placed(&mut self, _: &OrderPlaced) {
        self.placed = true;
    }

    #[on]
    fn created(&mut self, _: &v1::OrderCreated) {
        self.placed = true;
    }
}

fn main() {}

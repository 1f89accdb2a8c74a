use projection_core::{Event, projection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced")]
struct OrderPlaced {
    order_id: String,
}

#[derive(Default, Serialize, Deserialize)]
struct OrderStatus {
    placed: bool,
}

#[projection(name = "order-status")]
impl OrderStatus {
    #[on]
    unsafe fn a(&mut self, _: &OrderPlaced) {}

    #[on]
    const fn b(&mut self, _: &OrderPlaced) {}

    #[on]
    extern "C" fn c(&mut self, _: &OrderPlaced) {}
}

fn main() {}

use projection_core::{Event, projection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced")]
struct OrderPlaced;

mod views {
    #[derive(Default)]
    pub struct Orders<T>(pub T);
}

#[projection(name = "orders")]
fn orders(state: &mut views::Orders<u8>, _: &OrderPlaced) {
    state.0 += 1;
}

fn main() {}

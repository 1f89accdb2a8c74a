use projection_core::{Event, projection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced")]
struct OrderPlaced {
    order_id: String,
}

#[derive(Default, Serialize, Deserialize)]
struct Count<T>(T);

#[projection(name = "counts")]
impl<T> Count<T> {
    #[on]
    fn placed(&mut self, _: &OrderPlaced) {}
}

fn main() {}

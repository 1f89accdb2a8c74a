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
    fn placed(_: &OrderPlaced) -> Result<Self, String> {
        Ok(Self { placed: true })
    }

    #[on]
    fn placed_again(self, _: &OrderPlaced) -> bool {
        self.placed
    }
}

fn main() {}

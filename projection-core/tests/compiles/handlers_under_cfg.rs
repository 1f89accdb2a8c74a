//! A handler that is compiled out is not registered, and its types need not be there.

use projection_core::{Event, projection};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced")]
struct OrderPlaced;

#[derive(Default, Serialize, Deserialize)]
struct OrderStatus {
    placed: bool,
}

#[projection(name = "order-status")]
impl OrderStatus {
    #[on]
    fn placed(&mut self, _: &OrderPlaced) {
        self.placed = true;
    }

    #[on]
    #[cfg(any())]
    fn shipped(&mut self, _: &OrderShipped) {}

    // The same event by another path is the same event.
    #[on]
    #[cfg(test)]
    fn placed_again(&mut self, _: &super::handlers_under_cfg::OrderPlaced) {}
}

#[test]
fn a_handler_that_is_compiled_out_is_not_registered() {
    assert_eq!(crate::handlers_of::<OrderStatus>(), ("order-status", 2));
}

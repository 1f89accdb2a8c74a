//! Several handlers for one event: one step, in source order.

use projection_core::{Handlers, Projection, projection};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    history::{OrderId, OrderPlaced, orders},
    recorder::assert_twins,
};

#[derive(Default, Serialize, Deserialize)]
struct Log(Vec<String>);

#[projection(name = "log", id = OrderId, key = event.order_id)]
impl Log {
    #[on]
    fn first(&mut self, _: &OrderPlaced) {
        self.0.push("first".into());
    }

    #[on]
    fn second(mut self, _: &OrderPlaced) -> Self {
        self.0.push("second".into());
        self
    }

    #[on]
    fn third(self, event: &OrderPlaced) -> Option<Self> {
        (event.cents > 100).then_some(self)
    }

    #[on]
    fn fourth(&mut self, _: &OrderPlaced) {
        self.0.push("fourth".into());
    }
}

struct LogByHand;

impl Projection for LogByHand {
    type State = Log;
    type Id = OrderId;
    const NAME: &'static str = "log";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        let keys =
            |event: &OrderPlaced, _: &_, keys: &mut projection_core::Keys<OrderId>| keys.add(&event.order_id);
        handlers
            .on::<OrderPlaced>(keys, |state, _, _, _| state.get_or_insert_default().0.push("first".into()))
            .on::<OrderPlaced>(keys, |state, _, _, _| {
                if let Some(state) = state {
                    state.0.push("second".into());
                }
            })
            .on::<OrderPlaced>(keys, |state, event, _, _| {
                *state = state.take().filter(|_| event.cents > 100);
            })
            .on::<OrderPlaced>(keys, |state, _, _, _| state.get_or_insert_default().0.push("fourth".into()));
    }
}

// spec: B3
#[test]
fn handlers_of_one_event_run_in_source_order_on_what_the_one_before_left() {
    let states = assert_twins::<Log, LogByHand>(&orders());
    assert_eq!(states[0]["\"o-1\""], json!(["first", "second", "fourth"]));
    assert_eq!(states[2]["\"o-2\""], json!(["fourth"]), "deleted by the third, started again by the fourth");
    assert_eq!(states[4]["\"o-1\""], json!(["first", "second", "fourth", "first", "second", "fourth"]));
}

//! Version, batch size and indexes.

use projection_core::{Handlers, Index, MaterializedViewOptions, Projection, projection};
use serde::{Deserialize, Serialize};

use super::{
    history::{OrderPlaced, orders},
    recorder::assert_twins,
};

const PER_BATCH: usize = 100;

#[derive(Default, Serialize, Deserialize)]
struct Order {
    state: String,
    total_cents: i64,
    email: String,
}

#[projection(
    name = "order",
    version = 3,
    batch_size = PER_BATCH * 2,
    index(state, -total_cents),
    unique(email),
    index(address.city, "order-state"),
)]
impl Order {
    #[on]
    fn placed(&mut self, event: &OrderPlaced) {
        self.total_cents = event.cents;
    }
}

struct OrderByHand;

impl Projection for OrderByHand {
    type State = Order;
    type Id = projection_core::StreamId;
    const NAME: &'static str = "order";
    const VERSION: u32 = 3;

    fn options() -> MaterializedViewOptions {
        MaterializedViewOptions::new(200).unwrap()
    }

    fn indexes() -> Vec<Index> {
        vec![
            Index::new(["state", "-total_cents"]),
            Index::new(["email"]).unique(),
            Index::new(["address.city", "order-state"]),
        ]
    }

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers.on::<OrderPlaced>(
            |_, meta, keys| keys.add(meta.stream_id()),
            |state, event, _, _| state.get_or_insert_default().total_cents = event.cents,
        );
    }
}

// spec: P2, B16
#[test]
fn settings_are_what_they_say() {
    assert_twins::<Order, OrderByHand>(&orders());
    assert_eq!((Order::VERSION, Order::options().batch_size(), Order::indexes().len()), (3, 200, 3));
}

#[derive(Default, Serialize, Deserialize)]
struct Plain(u8);

#[projection(name = "plain")]
impl Plain {
    #[on]
    fn placed(&mut self, _: &OrderPlaced) {}
}

// spec: P2, B16
#[test]
fn what_is_not_said_is_the_default() {
    assert_eq!((Plain::VERSION, Plain::options().batch_size(), Plain::indexes().len()), (1, 1000, 0));
}

//! The shapes of a handler: no `self`, `&mut self`, `self`, each with what it may return.

use projection_core::{Handlers, Projection, projection};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    history::{OrderDeleted, OrderId, OrderPlaced, OrderShipped, orders},
    recorder::assert_twins,
};

/// Created by its first event, or not at all.
#[derive(Serialize, Deserialize)]
struct Order {
    cents: i64,
    to: Option<String>,
}

#[projection(name = "order", id = OrderId, key = event.order_id)]
impl Order {
    #[on]
    fn placed(OrderPlaced { cents, .. }: &OrderPlaced) -> Option<Self> {
        (*cents != 10).then_some(Self { cents: *cents, to: None })
    }

    #[on]
    fn shipped(mut self, event: &OrderShipped) -> Self {
        self.to = Some(event.to.clone());
        self
    }

    #[on]
    fn deleted(self, _: &OrderDeleted) -> Option<Self> {
        (self.cents < 100).then_some(self)
    }
}

#[derive(Serialize, Deserialize)]
struct OrderByHand {
    cents: i64,
    to: Option<String>,
}

impl Projection for OrderByHand {
    type State = Self;
    type Id = OrderId;
    const NAME: &'static str = "order";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers
            .on::<OrderPlaced>(
                |event, _, keys| keys.add(&event.order_id),
                |state, event, _, _| {
                    *state = (event.cents != 10).then_some(Self { cents: event.cents, to: None });
                },
            )
            .on::<OrderShipped>(
                |event, _, keys| keys.add(&event.order_id),
                |state, event, _, _| {
                    if let Some(state) = state {
                        state.to = Some(event.to.clone());
                    }
                },
            )
            .on::<OrderDeleted>(
                |event, _, keys| keys.add(&event.order_id),
                |state, _, _, _| {
                    if state.as_ref().is_some_and(|state| state.cents >= 100) {
                        *state = None;
                    }
                },
            );
    }
}

// spec: B3
#[test]
fn an_instance_is_created_replaced_and_deleted() {
    let states = assert_twins::<Order, OrderByHand>(&orders());
    assert_eq!(states[0]["\"o-1\""], json!({ "cents": 300, "to": null }));
    assert!(!states[1].contains_key("\"o-2\""), "`self` is not called where there is none");
    assert!(!states[5].contains_key("\"o-1\""), "`None` deletes");
    assert!(!states[10].contains_key("\"o-1\""), "`None` does not create");
    assert_eq!(states[11]["\"o-2\""], json!({ "cents": 50, "to": null }));
}

/// Starts from `Default`.
#[derive(Serialize, Deserialize)]
struct Journal(Vec<String>);

impl Default for Journal {
    fn default() -> Self {
        Self(vec!["started".into()])
    }
}

#[projection(name = "journal")]
impl Journal {
    #[on]
    fn placed(&mut self, event: &OrderPlaced) {
        self.note(format!("placed {}", event.cents));
    }

    #[on]
    fn shipped(&mut self, _: &OrderShipped) {
        self.note("shipped".into());
    }

    // Not a handler.
    fn note(&mut self, what: String) {
        self.0.push(what);
    }
}

#[derive(Default, Serialize, Deserialize)]
struct JournalByHand(Vec<String>);

impl Projection for JournalByHand {
    type State = Journal;
    type Id = projection_core::StreamId;
    const NAME: &'static str = "journal";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers
            .on::<OrderPlaced>(
                |_, meta, keys| keys.push(meta.stream_id().clone()),
                |state, event, _, _| {
                    state.get_or_insert_default().0.push(format!("placed {}", event.cents));
                },
            )
            .on::<OrderShipped>(
                |_, meta, keys| keys.push(meta.stream_id().clone()),
                |state, _, _, _| state.get_or_insert_default().0.push("shipped".into()),
            );
    }
}

#[test]
fn a_handler_that_changes_starts_from_default_where_there_is_no_instance() {
    let states = assert_twins::<Journal, JournalByHand>(&orders());
    assert_eq!(states[1]["\"o-2\""], json!(["started", "shipped"]));
    assert_eq!(states[2]["\"o-2\""], json!(["started", "shipped", "placed 50"]));
}

#[test]
fn a_handler_stays_a_function_that_can_be_called() {
    let event = OrderPlaced { order_id: OrderId("o".into()), customer: None, skus: Vec::new(), cents: 7 };
    let mut journal = Journal::default();
    journal.placed(&event);
    assert_eq!(journal.0, ["started", "placed 7"]);
    assert_eq!(Order::placed(&event).map(|order| order.cents), Some(7));
}

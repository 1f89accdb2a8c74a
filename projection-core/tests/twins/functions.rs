//! A free function over an enum of events: the state by value, as an option, or by `&mut`.

use projection_core::{EventMetadata, EventSet, Handlers, Projection, StreamId, projection};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    history::{OrderDeleted, OrderId, OrderPlaced, OrderShipped, orders},
    recorder::assert_twins,
};

#[derive(EventSet)]
enum OrderEvent {
    Placed(OrderPlaced),
    Shipped(OrderShipped),
    Deleted(OrderDeleted),
}

impl OrderEvent {
    fn order_id(&self) -> &OrderId {
        match self {
            Self::Placed(OrderPlaced { order_id, .. })
            | Self::Shipped(OrderShipped { order_id, .. })
            | Self::Deleted(OrderDeleted { order_id }) => order_id,
        }
    }
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Order {
    events: u32,
}

/// Takes the state, and gives it back.
#[projection(name = "counted", id = OrderId, key = event.order_id())]
fn counted(mut state: Order, event: &OrderEvent) -> Option<Order> {
    state.events += 1;
    (!matches!(event, OrderEvent::Deleted(_))).then_some(state)
}

struct CountedByHand;

impl Projection for CountedByHand {
    type State = Order;
    type Id = OrderId;
    const NAME: &'static str = "counted";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers.on::<OrderEvent>(
            |event, _, keys| keys.add(event.order_id()),
            |state, event, _, _| match event {
                OrderEvent::Deleted(_) => *state = None,
                OrderEvent::Placed(_) | OrderEvent::Shipped(_) => state.get_or_insert_default().events += 1,
            },
        );
    }
}

#[test]
fn a_function_folds_an_enum_of_events() {
    let states = assert_twins::<counted, CountedByHand>(&orders());
    assert_eq!(states[4]["\"o-1\""], json!({ "events": 3 }));
    assert!(!states[5].contains_key("\"o-1\""));
}

/// Sees that there is no instance.
#[projection(name = "known")]
fn known(state: Option<Order>, event: &OrderEvent, meta: &EventMetadata, id: &StreamId) -> Option<Order> {
    assert_eq!(meta.stream_id(), id);
    match (state, event) {
        (None, OrderEvent::Placed(_)) => Some(Order::default()),
        (Some(state), OrderEvent::Shipped(_)) => Some(Order { events: state.events + 1 }),
        (state, _) => state,
    }
}

struct KnownByHand;

impl Projection for KnownByHand {
    type State = Order;
    type Id = StreamId;
    const NAME: &'static str = "known";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers.on::<OrderEvent>(
            |_, meta, keys| keys.add(meta.stream_id()),
            |state, event, _, _| match (state, event) {
                (state @ None, OrderEvent::Placed(_)) => *state = Some(Order::default()),
                (Some(state), OrderEvent::Shipped(_)) => state.events += 1,
                _ => {}
            },
        );
    }
}

#[test]
fn a_function_may_take_an_option_to_see_that_there_is_no_instance() {
    let states = assert_twins::<known, KnownByHand>(&orders());
    assert!(states[1].len() == 1, "shipped before it was placed");
    assert_eq!(states[3]["\"o-1\""], json!({ "events": 1 }));
}

/// Changes the state in place; one event, no enum.
#[projection(name = "spent", id = String, key = event.customer)]
fn spent(state: &mut i64, event: &OrderPlaced) {
    *state += event.cents;
}

struct SpentByHand;

impl Projection for SpentByHand {
    type State = i64;
    type Id = String;
    const NAME: &'static str = "spent";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers.on::<OrderPlaced>(
            |event, _, keys| keys.add(&event.customer),
            |state, event, _, _| *state.get_or_insert(0) += event.cents,
        );
    }
}

#[test]
fn a_function_may_change_the_state_in_place_and_the_state_may_be_a_number() {
    let states = assert_twins::<spent, SpentByHand>(&orders());
    assert_eq!(states[11]["\"ann\""], json!(317));
}

#[test]
fn a_function_stays_a_function_that_can_be_called() {
    let mut cents = 1;
    let event = OrderPlaced { order_id: OrderId("o".into()), customer: None, skus: Vec::new(), cents: 7 };
    spent(&mut cents, &event);
    assert_eq!(cents, 8);
    assert_eq!(counted(Order::default(), &OrderEvent::Placed(event)), Some(Order { events: 1 }));
}

use super::*;
use crate::placing::tests::placed;

fn order(after: &[OrderEvent]) -> Order {
    let events = [&[OrderEvent::Placed(placed("ada", 990))], after].concat();
    Order::of(&events).unwrap()
}

fn shipped() -> OrderEvent {
    OrderEvent::Shipped(order(&[]).ship().unwrap())
}

fn cancelled() -> OrderEvent {
    OrderEvent::Cancelled(order(&[]).cancel().unwrap())
}

#[test]
fn an_open_order_can_be_shipped_or_cancelled_for_what_it_costs() {
    assert_eq!(order(&[]).ship().unwrap().customer_id, "ada".parse().unwrap());
    assert_eq!(order(&[]).cancel().unwrap().refund_cents, 990);
}

#[test]
fn what_is_shipped_or_cancelled_stays_so_and_the_refusal_says_why() {
    let refused = order(&[shipped()]).cancel().unwrap_err();
    assert_eq!(refused.to_string(), "an order that is shipped cannot be cancelled: only an open one can");
    let refused = order(&[cancelled()]).ship().unwrap_err();
    assert_eq!(refused.to_string(), "an order that is cancelled cannot be shipped: only an open one can");
    assert!(order(&[shipped()]).ship().is_err());
    assert!(order(&[cancelled()]).cancel().is_err());
}

#[test]
fn an_order_that_was_never_placed_is_none() {
    assert_eq!(Order::of(&[]), None);
    assert_eq!(Order::of(&[shipped()]), None);
}

use projection_core::testing::given;
use time::{OffsetDateTime, macros::datetime};

use super::*;
use crate::{
    events::{OrderCancelled, OrderShipped},
    order::OrderState,
    placing::tests::placed,
};

const NOON: OffsetDateTime = datetime!(2026-11-30 12:00 UTC);
const LATER: OffsetDateTime = datetime!(2026-11-30 13:00 UTC);

#[test]
fn an_order_is_open_until_it_is_shipped() {
    let mug = placed("ada", 990);
    let (order_id, customer_id) = (mug.order_id, mug.customer_id.clone());
    given::<OrderView>().event(mug.clone()).at(NOON).expect(&order_id, |order| {
        assert_eq!((order.state, order.total_cents), (OrderState::Open, 990));
        assert_eq!((order.placed_at, order.closed_at), (Some(NOON), None));
    });
    given::<OrderView>().event(mug).at(NOON).event(OrderShipped { order_id, customer_id }).at(LATER).expect(
        &order_id,
        |order| {
            assert_eq!(order.state, OrderState::Shipped);
            assert_eq!((order.placed_at, order.closed_at), (Some(NOON), Some(LATER)));
        },
    );
}

#[test]
fn a_customer_pays_for_what_was_not_cancelled_and_waits_for_what_is_open() {
    let (mug, cup, tea) = (placed("ada", 990), placed("ada", 500), placed("ada", 20));
    let customer_id = mug.customer_id.clone();
    given::<CustomerView>()
        .event(mug.clone())
        .event(cup.clone())
        .event(tea.clone())
        .event(placed("bob", 1))
        .event(OrderShipped { order_id: cup.order_id, customer_id: customer_id.clone() })
        .event(OrderCancelled { order_id: mug.order_id, customer_id: customer_id.clone(), refund_cents: 990 })
        .expect(&customer_id, |ada| {
            assert_eq!((ada.placed, ada.shipped, ada.cancelled), (3, 1, 1));
            assert_eq!((ada.total_cents, &ada.open_orders), (520, &vec![tea.order_id]));
        })
        .expect(&"bob".parse().unwrap(), |bob| assert_eq!((bob.placed, bob.total_cents), (1, 1)))
        .expect_instances(2);
}

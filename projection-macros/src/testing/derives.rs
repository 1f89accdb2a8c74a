//! What the derives expand to.

use super::*;

#[test]
fn an_event() {
    assert_expansion!(pretty(derive::event::derive(quote! {
        #[event(name = "OrderPlaced", aliases = ["OrderCreated"])]
        struct OrderPlaced { order_id: OrderId }
    })));
}

#[test]
fn an_event_set() {
    assert_expansion!(pretty(derive::event_set::derive(quote! {
        enum OrderEvent { Placed(OrderPlaced), Shipped(v1::OrderShipped) }
    })));
}

#[test]
fn a_key() {
    assert_expansion!(pretty(derive::key::derive(quote!(
        struct OrderId(String);
    ))));
}

#[test]
fn a_key_with_a_named_field() {
    assert_expansion!(pretty(derive::key::derive(quote!(
        struct OrderId {
            text: String,
        }
    ))));
}

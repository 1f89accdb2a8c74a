//! What `#[projection]` expands to.

use super::*;

#[test]
fn a_block_whose_handlers_change_create_and_delete() {
    assert_expansion!(expanded(
        quote!(name = "order-status", id = OrderId, key = event.order_id, batch_size = 200, version = 1),
        &quote! {
            impl OrderStatus {
                /// Placed.
                #[on]
                fn placed(&mut self, event: &OrderPlaced) { self.total_cents = event.total_cents; }
                #[on]
                fn created(event: &OrderCreated) -> Self { Self::new(event) }
                #[on]
                fn deleted(self, _: &OrderDeleted) -> Option<Self> { None }
                fn new(event: &OrderCreated) -> Self { Self { total_cents: 0 } }
            }
        },
    ));
}

#[test]
fn a_block_whose_handlers_take_id_and_meta_and_have_keys_of_their_own() {
    assert_expansion!(expanded(
        quote!(name = "places", id = Airport, key = event.from),
        &quote! {
            impl Place {
                #[on]
                fn departed(&mut self, event: &Flown, id: &Airport, meta: &EventMetadata) {}
                #[on(key = [event.to, meta.source()].into_iter().flatten())]
                #[cfg(feature = "arrivals")]
                fn arrived(&mut self, event: &Flown, m: &projection_core::EventMetadata) {}
            }
        },
    ));
}

#[test]
fn a_stream_is_an_instance_where_nothing_is_said() {
    assert_expansion!(expanded(
        quote!(name = "orders", index(state, -total_cents), unique(email)),
        &quote!(impl Order { #[on] fn placed(&mut self, _: &OrderPlaced) {} }),
    ));
}

#[test]
fn a_singleton() {
    assert_expansion!(expanded(
        quote!(name = "total", singleton),
        &quote!(impl Total { #[on] fn placed(&mut self, _: &OrderPlaced) {} }),
    ));
}

#[test]
fn a_function_over_an_enum() {
    assert_expansion!(expanded(
        quote!(name = "order", id = OrderId, key = event.order_id()),
        &quote!(
            /// Folds.
            pub(crate) fn order(state: Order, event: &OrderEvent) -> Option<Order> {
                Some(state)
            }
        ),
    ));
}

#[test]
fn a_function_that_sees_an_absent_instance() {
    assert_expansion!(expanded(
        quote!(name = "order"),
        &quote!(
            fn order(state: Option<Order>, event: &OrderEvent, id: &StreamId) -> Option<Order> {
                state
            }
        ),
    ));
}

#[test]
fn a_function_that_changes_its_state() {
    assert_expansion!(expanded(
        quote!(name = "order"),
        &quote!(
            fn order(state: &mut Order, event: &OrderEvent) {}
        ),
    ));
}

#[test]
fn a_mistake_leaves_the_item_and_a_projection_that_handles_nothing() {
    assert_expansion!(expanded(
        quote!(name = "order-status", id = OrderId, key = event.order_id, batchsize = 5),
        &quote!(impl OrderStatus { #[on] async fn placed(&mut self, event: &OrderPlaced) {} }),
    ));
}

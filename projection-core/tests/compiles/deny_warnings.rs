//! What the macros write breaks no lint of the compiler's; `tests/lints.rs` asks clippy.
#![deny(
    warnings,
    missing_docs,
    unused,
    unreachable_pub,
    missing_debug_implementations,
    missing_copy_implementations
)]

use projection_core::{Event, EventMetadata, StreamId, projection};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced")]
pub(super) struct OrderPlaced {
    total_cents: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, Event)]
#[event(name = "OrderDeleted")]
struct OrderDeleted;

/// A view.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct OrderStatus {
    total_cents: i64,
}

#[projection(name = "order-status", batch_size = 200, index(total_cents))]
impl OrderStatus {
    /// Never called by anybody but the projection.
    #[on]
    #[must_use]
    fn placed(OrderPlaced { total_cents }: &OrderPlaced) -> Self {
        Self { total_cents: *total_cents }
    }

    #[on]
    fn changed(&mut self, event: &OrderPlaced, _meta: &EventMetadata, _id: &StreamId) {
        self.total_cents = event.total_cents;
    }

    #[on]
    fn deleted(mut self, _: &OrderDeleted) -> Option<Self> {
        self.total_cents = 0;
        None
    }
}

/// A view of all orders.
#[projection(name = "orders", singleton)]
pub(super) fn orders(state: &mut i64, event: &OrderPlaced) {
    *state += event.total_cents;
}

#[test]
fn no_lint_of_the_compiler_fires() {
    assert_eq!(crate::handlers_of::<OrderStatus>(), ("order-status", 3));
    assert_eq!(crate::handlers_of::<orders>(), ("orders", 1));
}

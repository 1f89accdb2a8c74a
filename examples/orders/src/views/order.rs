//! By order: what was ordered, and what became of it.

use projection_core::{EventMetadata, projection};
use serde::{Deserialize, Serialize};
use time::{OffsetDateTime, serde::rfc3339};

use crate::{
    events::{Line, OrderCancelled, OrderPlaced, OrderShipped},
    ids::{CustomerId, OrderId},
    order::OrderState,
};

/// One order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OrderView {
    pub(crate) customer_id: CustomerId,
    pub(crate) state: OrderState,
    pub(crate) lines: Vec<Line>,
    pub(crate) total_cents: i64,
    #[serde(with = "rfc3339::option")]
    pub(crate) placed_at: Option<OffsetDateTime>,
    /// When it was shipped or cancelled.
    #[serde(with = "rfc3339::option")]
    pub(crate) closed_at: Option<OffsetDateTime>,
}

#[projection(name = "orders", id = OrderId, key = event.order_id)]
impl OrderView {
    #[on]
    fn placed(event: &OrderPlaced, meta: &EventMetadata) -> Self {
        Self {
            customer_id: event.customer_id.clone(),
            state: OrderState::Open,
            lines: event.lines.clone(),
            total_cents: event.total_cents,
            placed_at: meta.time(),
            closed_at: None,
        }
    }

    #[on]
    fn shipped(self, _: &OrderShipped, meta: &EventMetadata) -> Self {
        Self { state: OrderState::Shipped, closed_at: meta.time(), ..self }
    }

    #[on]
    fn cancelled(self, _: &OrderCancelled, meta: &EventMetadata) -> Self {
        Self { state: OrderState::Cancelled, closed_at: meta.time(), ..self }
    }
}

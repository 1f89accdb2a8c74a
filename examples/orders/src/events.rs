//! What happens to an order.

use projection_core::{Event, EventSet};
use serde::{Deserialize, Serialize};

use crate::ids::{CustomerId, OrderId};

/// So many of one article.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) sku: String,
    pub(crate) pieces: u32,
    pub(crate) cents_each: i64,
}

/// A customer ordered something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced")]
pub(crate) struct OrderPlaced {
    pub(crate) order_id: OrderId,
    pub(crate) customer_id: CustomerId,
    pub(crate) lines: Vec<Line>,
    pub(crate) total_cents: i64,
}

/// It is on its way, and cannot be cancelled any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Event)]
#[event(name = "OrderShipped")]
pub(crate) struct OrderShipped {
    pub(crate) order_id: OrderId,
    pub(crate) customer_id: CustomerId,
}

/// It is not wanted any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Event)]
#[event(name = "OrderCancelled")]
pub(crate) struct OrderCancelled {
    pub(crate) order_id: OrderId,
    pub(crate) customer_id: CustomerId,
    /// What the customer does not have to pay after all.
    pub(crate) refund_cents: i64,
}

/// Any of them: the stream of an order.
#[derive(Debug, Clone, PartialEq, Eq, EventSet)]
pub(crate) enum OrderEvent {
    Placed(OrderPlaced),
    Shipped(OrderShipped),
    Cancelled(OrderCancelled),
}

//! The decisions: what may happen to an order, by what has happened to it. Plain functions, without I/O.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    events::{OrderCancelled, OrderEvent, OrderPlaced, OrderShipped},
    ids::{CustomerId, OrderId},
};

/// How far an order is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OrderState {
    Open,
    Shipped,
    Cancelled,
}

/// What the decisions need of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Order {
    order_id: OrderId,
    customer_id: CustomerId,
    total_cents: i64,
    state: OrderState,
}

/// It may not happen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an order that is {is} cannot be {wanted}: only an open one can")]
pub(crate) struct Refused {
    is: OrderState,
    wanted: OrderState,
}

impl Order {
    /// The order that these events tell of; `None` where it was never placed.
    pub(crate) fn of(events: &[OrderEvent]) -> Option<Self> {
        events.iter().fold(None, |order, event| match (order, event) {
            (None, OrderEvent::Placed(placed)) => Some(Self::placed(placed)),
            (Some(order), OrderEvent::Shipped(_)) => Some(Self { state: OrderState::Shipped, ..order }),
            (Some(order), OrderEvent::Cancelled(_)) => Some(Self { state: OrderState::Cancelled, ..order }),
            (order, _) => order,
        })
    }

    fn placed(placed: &OrderPlaced) -> Self {
        let OrderPlaced { order_id, customer_id, total_cents, .. } = placed.clone();
        Self { order_id, customer_id, total_cents, state: OrderState::Open }
    }

    pub(crate) fn ship(&self) -> Result<OrderShipped, Refused> {
        self.must_be_open_to_be(OrderState::Shipped)?;
        Ok(OrderShipped { order_id: self.order_id, customer_id: self.customer_id.clone() })
    }

    pub(crate) fn cancel(&self) -> Result<OrderCancelled, Refused> {
        self.must_be_open_to_be(OrderState::Cancelled)?;
        let refund_cents = self.total_cents;
        Ok(OrderCancelled { order_id: self.order_id, customer_id: self.customer_id.clone(), refund_cents })
    }

    fn must_be_open_to_be(&self, wanted: OrderState) -> Result<(), Refused> {
        if self.state == OrderState::Open { Ok(()) } else { Err(Refused { is: self.state, wanted }) }
    }
}

impl fmt::Display for OrderState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::Shipped => "shipped",
            Self::Cancelled => "cancelled",
        })
    }
}

#[cfg(test)]
mod tests;

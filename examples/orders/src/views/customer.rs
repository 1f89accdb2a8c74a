//! By customer: what they wait for, and what they have to pay.

use projection_core::projection;
use serde::{Deserialize, Serialize};

use crate::{
    events::{OrderCancelled, OrderPlaced, OrderShipped},
    ids::{CustomerId, OrderId},
};

/// One customer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CustomerView {
    /// In the order in which they were placed.
    pub(crate) open_orders: Vec<OrderId>,
    pub(crate) placed: u64,
    pub(crate) shipped: u64,
    pub(crate) cancelled: u64,
    /// What all orders cost that were not cancelled. One whose sum does not fit is parked.
    pub(crate) total_cents: i64,
}

#[projection(name = "customers", id = CustomerId, key = event.customer_id)]
impl CustomerView {
    #[on]
    fn placed(&mut self, event: &OrderPlaced) {
        self.open_orders.push(event.order_id);
        self.placed += 1;
        self.total_cents += event.total_cents;
    }

    #[on]
    fn shipped(&mut self, event: &OrderShipped) {
        self.close(event.order_id);
        self.shipped += 1;
    }

    #[on]
    fn cancelled(&mut self, event: &OrderCancelled) {
        self.close(event.order_id);
        self.cancelled += 1;
        self.total_cents -= event.refund_cents;
    }

    fn close(&mut self, order: OrderId) {
        self.open_orders.retain(|open| *open != order);
    }
}

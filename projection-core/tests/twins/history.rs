//! Orders, from three streams, as every twin folds them.

use projection_core::{Event, Key};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::recorder::Stored;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Key)]
pub(super) struct OrderId(pub(super) String);

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderPlaced", aliases = ["OrderCreated"])]
pub(super) struct OrderPlaced {
    pub(super) order_id: OrderId,
    pub(super) customer: Option<String>,
    pub(super) skus: Vec<String>,
    pub(super) cents: i64,
}

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderShipped")]
pub(super) struct OrderShipped {
    pub(super) order_id: OrderId,
    pub(super) from: String,
    pub(super) to: String,
}

#[derive(Serialize, Deserialize, Event)]
#[event(name = "OrderDeleted")]
pub(super) struct OrderDeleted {
    pub(super) order_id: OrderId,
}

fn placed(stream: &'static str, customer: Option<&str>, skus: &[&str], cents: i64) -> Stored {
    let data = json!({ "order_id": stream, "customer": customer, "skus": skus, "cents": cents });
    (stream, "OrderPlaced", data)
}

fn shipped(stream: &'static str, from: &str, to: &str) -> Stored {
    (stream, "OrderShipped", json!({ "order_id": stream, "from": from, "to": to }))
}

fn deleted(stream: &'static str) -> Stored {
    (stream, "OrderDeleted", json!({ "order_id": stream }))
}

/// Placed, changed, deleted, placed again; shipped before it was placed; one without a customer, one without lines.
pub(super) fn orders() -> Vec<Stored> {
    let (stream, _, data) = placed("o-4", Some("ann"), &["tea"], 7);
    vec![
        placed("o-1", Some("ann"), &["tea", "cup", "tea"], 300),
        shipped("o-2", "HAM", "TXL"),
        placed("o-2", None, &[], 50),
        shipped("o-1", "TXL", "HAM"),
        placed("o-1", Some("bob"), &["pot"], 800),
        deleted("o-1"),
        deleted("o-3"),
        placed("o-3", Some("bob"), &["tea", "pot"], 120),
        shipped("o-3", "HAM", "HAM"),
        (stream, "OrderCreated", data),
        placed("o-1", Some("ann"), &["cup"], 10),
        deleted("o-2"),
    ]
}

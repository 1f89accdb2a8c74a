//! What is known of a history that is in a store.

use serde::{Deserialize, Serialize};

use crate::generate::Totals;

/// A history that is there, whole.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Dataset {
    /// Sums over what it makes.
    pub(crate) totals: Totals,
    /// Bytes of an event, as it is stored, on average.
    pub(crate) event_bytes: f64,
    /// The position before the first event.
    pub(crate) first: i64,
    /// The position of the last event.
    pub(crate) last: i64,
}

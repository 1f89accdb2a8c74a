//! Events with a number each, and the view that lists these numbers: it shows what was applied twice, not at all, or in
//! another order.

use projection_core::{Event, projection};
use serde::{Deserialize, Serialize};

/// A number was noted.
#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "Noted")]
pub struct Noted {
    /// The number.
    pub n: i64,
}

/// What was noted in one stream.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notes {
    /// The numbers, in the order in which they were applied.
    pub entries: Vec<i64>,
}

#[projection(name = "notes", batch_size = 20)]
impl Notes {
    #[on]
    fn noted(&mut self, event: &Noted) {
        self.entries.push(event.n);
    }
}

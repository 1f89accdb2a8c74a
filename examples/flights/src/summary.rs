//! The result in one line of JSON, for programs.

use std::{collections::BTreeMap, fmt};

use serde::Serialize;

use crate::figures::{Checks, Figures};

/// The result: what was read, and what the stored views say of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Events in the history.
    pub events: u64,
    /// Events that tell of no aircraft, so that the view `aircraft` has no instance for them. Counted from what is
    /// stored: the events that the flights say happened, less those that the aircraft say.
    pub skipped: i64,
    /// Rows that say no flight.
    pub malformed: u64,
    /// How many instances each view has.
    pub instances: BTreeMap<&'static str, u64>,
    /// The sums over the stored flights.
    pub checks: Checks,
}

impl Summary {
    /// The figures in short.
    #[must_use]
    pub fn new(figures: &Figures, events: u64, malformed: u64) -> Self {
        Self {
            events,
            skipped: figures.skipped,
            malformed,
            instances: figures.instances.clone(),
            checks: figures.checks,
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

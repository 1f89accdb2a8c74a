//! The flights of a file, as a history.

use std::{fs::File, path::Path};

use anyhow::{Context, Result};
use flights::{history::FlightHistory, input};

/// Reads the flights. Rows that say no flight are left out, as everywhere.
pub(crate) fn read(path: &Path) -> Result<FlightHistory> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    input::read(file, drop).with_context(|| format!("cannot read {} as flights", path.display()))
}

//! Which history a file holds: one row says so, and that the file is the example's.

use projection_sqlite::rusqlite::{self, Connection, OptionalExtension as _};

use super::{FileError, FlightsFile};
use crate::history::FlightHistory;

/// Which history a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldHistory {
    pub(super) fingerprint: String,
    /// How many events it has.
    pub events: u64,
    /// How many rows of its file said no flight.
    pub malformed: u64,
    /// How many of its events are there: those before the others.
    pub imported: u64,
}

impl HeldHistory {
    pub(super) fn of(history: &FlightHistory, malformed: u64) -> Self {
        Self { fingerprint: history.fingerprint().to_string(), events: history.len(), malformed, imported: 0 }
    }

    /// Whether all of its events are there.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.imported >= self.events
    }

    /// Whether it is made from the same rows; of how many that were malformed does not matter.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (&self.fingerprint, self.events) == (&other.fingerprint, other.events)
    }
}

/// Makes the table where there are no events yet; false where the file is not the example's.
pub(super) fn ensure(connection: &Connection) -> rusqlite::Result<bool> {
    let there = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'history')";
    if connection.query_row(there, [], |row| row.get(0))? {
        let columns = "SELECT fingerprint, events, malformed FROM history";
        return Ok(connection.prepare(columns).is_ok());
    }
    let holds_events = "SELECT EXISTS (SELECT 1 FROM events)";
    if connection.query_row(holds_events, [], |row| row.get(0))? {
        return Ok(false);
    }
    let create = "CREATE TABLE history (fingerprint TEXT NOT NULL, events INTEGER NOT NULL, \
                  malformed INTEGER NOT NULL) STRICT";
    connection.execute_batch(create)?;
    Ok(true)
}

impl FlightsFile {
    /// Which history is there, whole or in part.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub async fn held(&self) -> Result<Option<HeldHistory>, FileError> {
        let held = |connection: &Connection| {
            let select = "SELECT fingerprint, events, malformed, (SELECT ifnull(max(position), 0) FROM events) \
                          FROM history";
            let held = connection.query_row(select, [], |row| {
                let number = |column: usize| row.get::<_, i64>(column).map(i64::unsigned_abs);
                let (events, malformed, imported) = (number(1)?, number(2)?, number(3)?);
                Ok(HeldHistory { fingerprint: row.get(0)?, events, malformed, imported })
            });
            held.optional()
        };
        self.in_one_transaction("looking for a history", held).await
    }

    /// The history that is there whole.
    ///
    /// # Errors
    ///
    /// When there is none, or the file cannot be read.
    pub async fn held_whole(&self) -> Result<HeldHistory, FileError> {
        let held = self.held().await?.filter(HeldHistory::is_whole);
        held.ok_or_else(|| FileError::NoHistory { path: self.path.clone() })
    }

    pub(super) async fn hold(&self, held: &HeldHistory) -> Result<(), FileError> {
        let HeldHistory { fingerprint, events, malformed, .. } = held.clone();
        let hold = move |connection: &Connection| {
            let insert = "INSERT INTO history (fingerprint, events, malformed) VALUES (?1, ?2, ?3)";
            let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
            connection.execute(insert, (fingerprint, number(events), number(malformed))).map(drop)
        };
        self.in_one_transaction("noting the history", hold).await
    }
}

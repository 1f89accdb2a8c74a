//! What tells one history from another: the number of its events, and a hash of what they are made from.

use std::fmt;

use super::FlightHistory;
use crate::input::{Outcome, Row};

/// What tells one history from another. The same file gives the same one on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Raised when the same rows make other events than before.
    const FORMAT: i64 = 1;

    pub(super) fn of(history: &FlightHistory) -> Self {
        let mut hash = Fnv::new();
        hash.number(Self::FORMAT);
        hash.number(history.copies.into());
        for row in &history.rows {
            hash_row(&mut hash, history, row);
        }
        Self(hash.0)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

fn hash_row(hash: &mut Fnv, history: &FlightHistory, row: &Row) {
    for code in [Some(row.carrier), Some(row.origin), Some(row.dest), row.tailnum] {
        hash.text(code.map_or("", |code| history.codes.text(code)));
    }
    hash.number(row.scheduled.into());
    hash.number(row.scheduled_minutes.into());
    hash.number(row.number.into());
    hash.number(row.distance_miles.into());
    hash.number(row.origin_hours.into());
    hash.number(row.dest_hours.into());
    let Outcome::Departed { delay, arrival } = row.outcome else { return hash.option(None) };
    hash.option(Some(delay.into()));
    let Some(arrival) = arrival else { return hash.option(None) };
    hash.option(Some(arrival.elapsed.into()));
    hash.option(arrival.delay.map(i64::from));
    hash.option(arrival.air_minutes.map(i64::from));
}

/// FNV-1a, since the hashers of the standard library may change with it.
struct Fnv(u64);

impl Fnv {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn number(&mut self, number: i64) {
        self.bytes(&number.to_le_bytes());
    }

    fn option(&mut self, number: Option<i64>) {
        self.bytes(&[u8::from(number.is_some())]);
        self.number(number.unwrap_or_default());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len().try_into().unwrap_or_default());
        self.bytes(text.as_bytes());
    }
}

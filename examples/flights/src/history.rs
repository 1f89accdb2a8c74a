//! The flights as an event history: compact rows, and the order in which what they say happened.

mod events;
mod fingerprint;
mod order;

pub use events::{Events, Recorded, SOURCE};
pub use fingerprint::Fingerprint;

use order::Happened;

use crate::input::{Code, Codes, Row};

/// The flights of one file, or several copies of them one after another, as an event history.
///
/// Rows and order take some 60 bytes a flight; the events are made from them one at a time.
#[derive(Debug)]
pub struct FlightHistory {
    codes: Codes,
    rows: Vec<Row>,
    order: Vec<Happened>,
    copies: u32,
}

impl FlightHistory {
    /// The history of these rows, whatever their order.
    pub(crate) fn new(codes: Codes, rows: Vec<Row>) -> Self {
        let order = order::order(&rows);
        Self { codes, rows, order, copies: 1 }
    }

    /// The same flights `copies` times, each time that many days later that the copies do not meet: a longer history
    /// that takes no more memory. At least 1, at most [`MAX_COPIES`](Self::MAX_COPIES).
    #[must_use]
    pub fn with_copies(mut self, copies: u32) -> Self {
        self.copies = copies.clamp(1, Self::MAX_COPIES);
        self
    }

    /// A thousand copies of a year still end before times and positions do.
    pub const MAX_COPIES: u32 = 1000;

    /// How many flights it has.
    #[must_use]
    pub fn flights(&self) -> u64 {
        self.rows.len() as u64 * u64::from(self.copies)
    }

    /// How many events it has.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.order.len() as u64 * u64::from(self.copies)
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The events, in the order in which they happened.
    #[must_use]
    pub fn events(&self) -> Events<'_> {
        Events::new(self)
    }

    /// What tells this history from another one.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self)
    }

    /// What makes a flight that flight: the day it is to leave, its number, its airline, and where it leaves from.
    pub(crate) fn identity(row: &Row) -> (i32, u16, Code, Code) {
        (order::local_day(row), row.number, row.carrier, row.origin)
    }

    /// [`identity`](Self::identity) as text, such as `2013-01-01-UA1545-EWR`: the stream of the flight's events.
    pub(crate) fn flight_id(codes: &Codes, row: &Row) -> String {
        let day = events::local(row.scheduled, row.origin_hours).date();
        let (carrier, origin) = (codes.text(row.carrier), codes.text(row.origin));
        format!("{day}-{carrier}{}-{origin}", row.number)
    }
}

//! One flight of the file, in some 50 bytes: what the data says, and nothing else.

use super::Code;

/// One flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Row {
    /// The airline.
    pub carrier: Code,
    /// Where it leaves from.
    pub origin: Code,
    /// Where it goes.
    pub dest: Code,
    /// The aircraft, where the data says which.
    pub tailnum: Option<Code>,
    /// The scheduled departure, in minutes since 1970 in UTC.
    pub scheduled: i32,
    /// The scheduled minutes from departure to arrival.
    pub scheduled_minutes: u16,
    /// The flight number.
    pub number: u16,
    /// The distance in miles.
    pub distance_miles: u16,
    /// Hours that clocks at the origin are ahead of UTC, that day.
    pub origin_hours: i8,
    /// Hours that clocks at the destination are ahead of UTC, that day.
    pub dest_hours: i8,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It never departed.
    Cancelled,
    /// It departed.
    Departed {
        /// How many minutes late; negative is early.
        delay: i16,
        /// How it arrived, where the data says that it did.
        arrival: Option<Arrival>,
    },
}

/// How a flight arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Arrival {
    /// Minutes from the actual departure; at least 1.
    pub elapsed: i32,
    /// How many minutes late, where the data says; negative is early. It does not for diverted flights.
    pub delay: Option<i16>,
    /// Minutes in the air, where the data says.
    pub air_minutes: Option<u16>,
}

impl Row {
    /// The actual departure, in minutes since 1970 in UTC; `None` for a flight that never departed.
    #[must_use]
    pub fn departed(&self) -> Option<i32> {
        match self.outcome {
            Outcome::Cancelled => None,
            Outcome::Departed { delay, .. } => Some(self.scheduled + i32::from(delay)),
        }
    }

    /// How it arrived, if it did.
    #[must_use]
    pub fn arrival(&self) -> Option<Arrival> {
        match self.outcome {
            Outcome::Cancelled => None,
            Outcome::Departed { arrival, .. } => arrival,
        }
    }
}

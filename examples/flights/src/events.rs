//! The events: what the data says of a flight, and when it happened.

use projection_core::{Event, EventSet};
use serde::{Deserialize, Serialize};
use time::{OffsetDateTime, serde::rfc3339};

use crate::ids::{Airport, Carrier, Route, TailNumber};

/// What every event says of its flight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flight {
    /// The airline.
    pub carrier: Carrier,
    /// The flight number.
    pub number: u16,
    /// Where it leaves from.
    pub origin: Airport,
    /// Where it goes.
    pub dest: Airport,
    /// The aircraft, where the data says which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tailnum: Option<TailNumber>,
}

impl Flight {
    /// Its route.
    #[must_use]
    pub fn route(&self) -> Route {
        Route::between(&self.origin, &self.dest)
    }
}

/// A flight is in the schedule. The data does not say since when: the history takes the beginning of the day before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Event)]
#[event(name = "FlightScheduled")]
pub struct FlightScheduled {
    /// Which flight.
    pub flight: Flight,
    /// When it is to leave, by the clocks there.
    #[serde(with = "rfc3339")]
    pub departs: OffsetDateTime,
    /// When it is to arrive, by the clocks there.
    #[serde(with = "rfc3339")]
    pub arrives: OffsetDateTime,
    /// How far it goes.
    pub distance_miles: u16,
}

/// A flight left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Event)]
#[event(name = "FlightDeparted")]
pub struct FlightDeparted {
    /// Which flight.
    pub flight: Flight,
    /// When, by the clocks there.
    #[serde(with = "rfc3339")]
    pub departed: OffsetDateTime,
    /// How late; negative is early.
    pub delay_minutes: i64,
}

/// A flight arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Event)]
#[event(name = "FlightArrived")]
pub struct FlightArrived {
    /// Which flight.
    pub flight: Flight,
    /// When, by the clocks there.
    #[serde(with = "rfc3339")]
    pub arrived: OffsetDateTime,
    /// How late, where the data says; negative is early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_minutes: Option<i64>,
    /// How long it was in the air, where the data says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub air_minutes: Option<i64>,
    /// How far it went.
    pub distance_miles: u16,
}

/// A flight that was scheduled never left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Event)]
#[event(name = "FlightCancelled")]
pub struct FlightCancelled {
    /// Which flight.
    pub flight: Flight,
    /// When it was to leave, by the clocks there.
    #[serde(with = "rfc3339")]
    pub departs: OffsetDateTime,
}

/// Any of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, EventSet)]
#[serde(untagged)]
pub enum FlightEvent {
    /// It is in the schedule.
    Scheduled(FlightScheduled),
    /// It left.
    Departed(FlightDeparted),
    /// It arrived.
    Arrived(FlightArrived),
    /// It never left.
    Cancelled(FlightCancelled),
}

impl FlightEvent {
    /// Which flight.
    #[must_use]
    pub fn flight(&self) -> &Flight {
        match self {
            Self::Scheduled(event) => &event.flight,
            Self::Departed(event) => &event.flight,
            Self::Arrived(event) => &event.flight,
            Self::Cancelled(event) => &event.flight,
        }
    }

    /// The name it is stored under.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Scheduled(_) => FlightScheduled::NAME,
            Self::Departed(_) => FlightDeparted::NAME,
            Self::Arrived(_) => FlightArrived::NAME,
            Self::Cancelled(_) => FlightCancelled::NAME,
        }
    }
}

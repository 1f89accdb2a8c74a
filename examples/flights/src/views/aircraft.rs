//! By aircraft: what it flew, and where it was last. Not every flight says which aircraft it was; those events change
//! no instance.

use std::collections::VecDeque;

use projection_core::projection;
use serde::{Deserialize, Serialize};
use time::{OffsetDateTime, serde::rfc3339};

use crate::{
    events::{FlightArrived, FlightCancelled, FlightDeparted},
    ids::{Airport, Route, TailNumber},
};

/// What one aircraft did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Aircraft {
    /// Departures.
    pub legs: i64,
    /// Arrivals.
    pub arrived: i64,
    /// Flights it was meant for that never left.
    pub cancelled: i64,
    /// Miles of the flights that arrived.
    pub miles: i64,
    /// Minutes in the air, of the flights that say so.
    pub air_minutes: i64,
    /// Departures from another of New York's airports than the one before.
    pub changes_of_airport: i64,
    /// Where it left New York last.
    pub last_origin: Option<Airport>,
    /// Where it was last, as far as the data says.
    pub last_seen: Option<Seen>,
    /// The last few legs, the oldest first.
    pub last_routes: VecDeque<Route>,
}

/// Where an aircraft was, and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Where.
    pub airport: Airport,
    /// When, by the clocks there.
    #[serde(with = "rfc3339")]
    pub at: OffsetDateTime,
}

impl Aircraft {
    const LAST_ROUTES: usize = 5;

    fn seen(&mut self, airport: &Airport, at: OffsetDateTime) {
        self.last_seen = Some(Seen { airport: airport.clone(), at });
    }
}

#[projection(name = "aircraft", id = TailNumber, key = event.flight.tailnum)]
impl Aircraft {
    #[on]
    fn departed(&mut self, event: &FlightDeparted) {
        let origin = &event.flight.origin;
        self.legs += 1;
        self.changes_of_airport += i64::from(self.last_origin.as_ref().is_some_and(|last| last != origin));
        self.last_origin = Some(origin.clone());
        self.seen(origin, event.departed);
        if self.last_routes.len() == Self::LAST_ROUTES {
            self.last_routes.pop_front();
        }
        self.last_routes.push_back(event.flight.route());
    }

    #[on]
    fn arrived(&mut self, event: &FlightArrived) {
        self.arrived += 1;
        self.miles += i64::from(event.distance_miles);
        self.air_minutes += event.air_minutes.unwrap_or_default();
        self.seen(&event.flight.dest, event.arrived);
    }

    #[on]
    fn cancelled(&mut self, _: &FlightCancelled) {
        self.cancelled += 1;
    }
}

//! By airline: how many flights, and how late they are. One handler for each event, all of one key.

use projection_core::projection;
use serde::{Deserialize, Serialize};

use crate::{
    events::{FlightArrived, FlightCancelled, FlightDeparted, FlightScheduled},
    ids::Carrier,
};

/// How punctual an airline is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Punctuality {
    /// Flights in the schedule.
    pub scheduled: i64,
    /// Flights that left.
    pub departed: i64,
    /// Flights that arrived.
    pub arrived: i64,
    /// Flights that never left.
    pub cancelled: i64,
    /// The sum over departures; early ones count below zero.
    pub departure_delay_minutes: i64,
    /// Arrivals of which it is known how late they were.
    pub timed_arrivals: i64,
    /// The sum over them; early ones count below zero.
    pub arrival_delay_minutes: i64,
    /// Those that were late by more than 15 minutes.
    pub late_arrivals: i64,
}

#[projection(name = "carriers", id = Carrier, key = event.flight.carrier)]
impl Punctuality {
    #[on]
    fn scheduled(&mut self, _: &FlightScheduled) {
        self.scheduled += 1;
    }

    #[on]
    fn departed(&mut self, event: &FlightDeparted) {
        self.departed += 1;
        self.departure_delay_minutes += event.delay_minutes;
    }

    #[on]
    fn arrived(&mut self, event: &FlightArrived) {
        self.arrived += 1;
        if let Some(delay) = event.delay_minutes {
            self.timed_arrivals += 1;
            self.arrival_delay_minutes += delay;
            self.late_arrivals += i64::from(delay > 15);
        }
    }

    #[on]
    fn cancelled(&mut self, _: &FlightCancelled) {
        self.cancelled += 1;
    }
}

//! By airport and day: each event finds its instance in another way, and a cancelled flight finds two.

use projection_core::projection;
use serde::{Deserialize, Serialize};

use crate::{
    events::{FlightArrived, FlightCancelled, FlightDeparted},
    ids::AirportDay,
};

/// What went on at an airport on one day, by the clocks there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AirportTraffic {
    /// Flights that left.
    pub departures: i64,
    /// Flights that arrived.
    pub arrivals: i64,
    /// Flights that were to leave that day, and never did.
    pub cancelled_departures: i64,
    /// Flights that were to come, and never left.
    pub cancelled_arrivals: i64,
    /// How late departures were, summed; early ones count below zero.
    pub departure_delay_minutes: i64,
}

#[projection(name = "airport-days", id = AirportDay, index(-departures))]
impl AirportTraffic {
    #[on(key = AirportDay::new(&event.flight.origin, event.departed.date()))]
    fn departed(&mut self, event: &FlightDeparted) {
        self.departures += 1;
        self.departure_delay_minutes += event.delay_minutes;
    }

    #[on(key = AirportDay::new(&event.flight.dest, event.arrived.date()))]
    fn arrived(&mut self, _: &FlightArrived) {
        self.arrivals += 1;
    }

    #[on(key = [&event.flight.origin, &event.flight.dest].map(|at| AirportDay::new(at, event.departs.date())))]
    fn cancelled(&mut self, event: &FlightCancelled, id: &AirportDay) {
        if *id == AirportDay::new(&event.flight.origin, event.departs.date()) {
            self.cancelled_departures += 1;
        } else {
            self.cancelled_arrivals += 1;
        }
    }
}

//! By route: a plain function over an enum of events.

use projection_core::projection;
use serde::{Deserialize, Serialize};

use crate::{events::FlightEvent, ids::Route};

/// What went on between two airports.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RouteTraffic {
    /// Flights in the schedule.
    pub scheduled: i64,
    /// Flights that left.
    pub departed: i64,
    /// Flights that arrived.
    pub arrived: i64,
    /// Flights that never left.
    pub cancelled: i64,
    /// How far it is.
    pub distance_miles: u16,
    /// Arrivals of which it is known how long they were in the air.
    pub timed_flights: i64,
    /// The sum over them.
    pub air_minutes: i64,
}

/// Adds an event to its route.
#[projection(name = "routes", id = Route, key = event.flight().route())]
pub fn route_traffic(mut traffic: RouteTraffic, event: &FlightEvent) -> RouteTraffic {
    match event {
        FlightEvent::Scheduled(event) => {
            traffic.scheduled += 1;
            traffic.distance_miles = event.distance_miles;
        }
        FlightEvent::Departed(_) => traffic.departed += 1,
        FlightEvent::Arrived(event) => {
            traffic.arrived += 1;
            if let Some(minutes) = event.air_minutes {
                traffic.timed_flights += 1;
                traffic.air_minutes += minutes;
            }
        }
        FlightEvent::Cancelled(_) => traffic.cancelled += 1,
    }
    traffic
}

//! The views: what is known of each airline, airport, route, aircraft and flight.

mod airborne;
mod aircraft;
mod airport_day;
mod carrier;
mod flight;
mod records;
mod route;

pub use airborne::Airborne;
pub use aircraft::{Aircraft, Seen};
pub use airport_day::AirportTraffic;
pub use carrier::Punctuality;
pub use flight::FlightStatus;
pub use records::{Record, Records};
pub use route::{RouteTraffic, route_traffic};

#[cfg(test)]
mod tests;

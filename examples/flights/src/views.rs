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

use projection_core::Projection;

/// The name and the version of every view.
pub const ALL: [(&str, u32); 7] = [
    named::<Punctuality>(),
    named::<Aircraft>(),
    named::<AirportTraffic>(),
    named::<route_traffic>(),
    named::<FlightStatus>(),
    named::<Airborne>(),
    named::<Records>(),
];

const fn named<P: Projection>() -> (&'static str, u32) {
    (P::NAME, P::VERSION)
}

#[cfg(test)]
mod tests;

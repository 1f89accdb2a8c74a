//! The flights in the air: an instance is created by a departure and deleted by the arrival. What is left are the
//! flights that are not known to have arrived.

use projection_core::projection;
use serde::{Deserialize, Serialize};
use time::{OffsetDateTime, serde::rfc3339};

use crate::{
    events::{FlightArrived, FlightDeparted},
    ids::{Route, TailNumber},
};

/// A flight in the air.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Airborne {
    /// Its route.
    pub route: Route,
    /// The aircraft, where the data says which.
    pub tailnum: Option<TailNumber>,
    /// When it left, by the clocks there.
    #[serde(with = "rfc3339")]
    pub since: OffsetDateTime,
}

// No `id` and no `key`: an instance is the stream of one flight's events.
#[projection(name = "airborne")]
impl Airborne {
    #[on]
    fn departed(event: &FlightDeparted) -> Self {
        Self { route: event.flight.route(), tailnum: event.flight.tailnum.clone(), since: event.departed }
    }

    #[on]
    fn arrived(self, _: &FlightArrived) -> Option<Self> {
        None
    }
}

//! By flight: what became of it. Created by the schedule; what cannot follow on it is not called.

use projection_core::projection;
use serde::{Deserialize, Serialize};
use time::{OffsetDateTime, serde::rfc3339};

use crate::events::{Flight, FlightArrived, FlightCancelled, FlightDeparted, FlightScheduled};

/// One flight, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlightStatus {
    /// Which flight.
    pub flight: Flight,
    /// When it is to leave, by the clocks there.
    #[serde(with = "rfc3339")]
    pub departs: OffsetDateTime,
    /// When it left, by the clocks there.
    #[serde(with = "rfc3339::option")]
    pub departed: Option<OffsetDateTime>,
    /// When it arrived, by the clocks there.
    #[serde(with = "rfc3339::option")]
    pub arrived: Option<OffsetDateTime>,
    /// How late it arrived, where the data says; negative is early.
    pub delay_minutes: Option<i64>,
    /// Whether it never left.
    pub cancelled: bool,
}

// No `id` and no `key`: an instance is the stream of one flight's events.
#[projection(name = "flights", batch_size = 2000)]
impl FlightStatus {
    #[on]
    fn scheduled(event: &FlightScheduled) -> Self {
        Self {
            flight: event.flight.clone(),
            departs: event.departs,
            departed: None,
            arrived: None,
            delay_minutes: None,
            cancelled: false,
        }
    }

    #[on]
    fn departed(self, event: &FlightDeparted) -> Self {
        Self { departed: Some(event.departed), ..self }
    }

    #[on]
    fn arrived(self, event: &FlightArrived) -> Self {
        Self { arrived: Some(event.arrived), delay_minutes: event.delay_minutes, ..self }
    }

    #[on]
    fn cancelled(self, _: &FlightCancelled) -> Self {
        Self { cancelled: true, ..self }
    }
}

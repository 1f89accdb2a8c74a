//! One record of the CSV as a row: what it says is checked against itself, so that a slip is found, not counted.

use csv::ByteRecord;
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time};

use super::{
    Arrival, Code, Codes, Outcome, Row, RowFault,
    fault::Shown,
    fields::{Fields, needed},
    zones,
};

const DAY: i32 = 24 * 60;
const EVERY: &str = "every flight has one";

/// Reads one record.
pub(super) fn row(record: &ByteRecord, codes: &mut Codes) -> Result<Row, RowFault> {
    let fields = Fields::new(record)?;
    let departure = scheduled_departure(&fields)?;
    let dest = needed(fields.code("dest"), "dest", EVERY)?;
    let behind = zones::hours_behind_new_york(dest, departure.hours == SUMMER);
    let arrives = needed(fields.clock("sched_arr_time"), "sched_arr_time", EVERY)?;
    let scheduled_minutes = after(departure.clock, arrives, behind);
    Ok(Row {
        carrier: code(codes, "carrier", needed(fields.code("carrier"), "carrier", EVERY)?)?,
        origin: code(codes, "origin", needed(fields.code("origin"), "origin", EVERY)?)?,
        dest: code(codes, "dest", dest)?,
        tailnum: fields.code("tailnum")?.map(|text| code(codes, "tailnum", text)).transpose()?,
        scheduled: departure.utc,
        scheduled_minutes: u16::try_from(scheduled_minutes).unwrap_or_default(),
        number: needed(fields.number("flight"), "flight", EVERY)?,
        distance_miles: needed(fields.number("distance"), "distance", EVERY)?,
        origin_hours: departure.hours,
        dest_hours: departure.hours - behind,
        outcome: outcome(&fields, departure.clock, arrives, behind)?,
    })
}

fn code(codes: &mut Codes, column: &'static str, text: &str) -> Result<Code, RowFault> {
    let expected = "one of at most 4294967295 different codes";
    codes.intern(text).ok_or_else(|| RowFault::Unreadable { column, value: Shown::new(text.as_bytes()), expected })
}

/// New York's hours ahead of UTC with daylight saving time, and without.
const SUMMER: i8 = -4;
const WINTER: i8 = -5;

struct Departure {
    /// Minutes after midnight, in New York.
    clock: u16,
    /// Minutes since 1970, in UTC.
    utc: i32,
    /// Hours New York is ahead of UTC.
    hours: i8,
}

/// The date, `sched_dep_time`, `hour`, `minute` and `time_hour` say one moment between them.
fn scheduled_departure(fields: &Fields<'_>) -> Result<Departure, RowFault> {
    let date = date(fields)?;
    let clock = needed(fields.clock("sched_dep_time"), "sched_dep_time", EVERY)?;
    let hour = needed(fields.number("hour"), "hour", EVERY)?;
    let minute = needed(fields.number("minute"), "minute", EVERY)?;
    if hour > 24 || minute > 59 || (hour * 60 + minute) % 1440 != clock {
        return Err(RowFault::Contradiction {
            column: "sched_dep_time",
            value: shown(clock),
            other: "hour and minute",
            implied: format!("{hour:02}:{minute:02}"),
        });
    }
    let utc = needed(fields.moment("time_hour"), "time_hour", EVERY)?;
    let local = PrimitiveDateTime::new(date, Time::MIDNIGHT) + time::Duration::hours(hour.into());
    let ahead = local.assume_utc() - utc;
    let hours = [SUMMER, WINTER].into_iter().find(|hours| ahead == time::Duration::hours((*hours).into()));
    let hours = hours.ok_or_else(|| RowFault::Contradiction {
        column: "time_hour",
        value: utc.to_string(),
        other: "the date and hour in New York, 4 or 5 hours behind UTC,",
        implied: (local.assume_utc() + time::Duration::hours(4)).to_string() + " or an hour later",
    })?;
    Ok(Departure { clock, utc: minutes(utc) + i32::from(minute), hours })
}

fn date(fields: &Fields<'_>) -> Result<Date, RowFault> {
    let year = needed(fields.number("year"), "year", EVERY)?;
    let month = needed(fields.number("month"), "month", EVERY)?;
    let day = needed(fields.number("day"), "day", EVERY)?;
    let unreadable = |column, value: u16, expected| RowFault::Unreadable {
        column,
        value: Shown::new(value.to_string().as_bytes()),
        expected,
    };
    if !(1970..=5000).contains(&year) {
        return Err(unreadable("year", year, "a year from 1970 to 5000"));
    }
    let named = u8::try_from(month).ok().and_then(|month| Month::try_from(month).ok());
    let named = named.ok_or_else(|| unreadable("month", month, "a month from 1 to 12"))?;
    u8::try_from(day)
        .ok()
        .and_then(|day| Date::from_calendar_date(year.into(), named, day).ok())
        .ok_or_else(|| unreadable("day", day, "a day of that month"))
}

/// No `dep_time` is a cancelled flight; no `arr_time` is one that is not known to have arrived.
fn outcome(fields: &Fields<'_>, leaves: u16, arrives: u16, behind: i8) -> Result<Outcome, RowFault> {
    let departed = fields.clock("dep_time")?;
    let delay = fields.delay("dep_delay")?;
    let arrival = arrival(fields, departed, arrives, behind)?;
    match (departed, delay) {
        (Some(departed), Some(delay)) => {
            agrees("dep_time", departed, "sched_dep_time and dep_delay", leaves, delay)?;
            Ok(Outcome::Departed { delay, arrival })
        }
        (Some(_), None) => Err(RowFault::NotSaid { column: "dep_delay", because: "dep_time is" }),
        (None, Some(_)) => Err(RowFault::NotSaid { column: "dep_time", because: "dep_delay is" }),
        (None, None) if arrival.is_some() => Err(RowFault::NotSaid { column: "dep_time", because: "arr_time is" }),
        (None, None) => Ok(Outcome::Cancelled),
    }
}

/// The flight arrived the first time after its departure that the clocks at its destination showed `arr_time`; a
/// whole number of hours later where that leaves no room for the time in the air, as with a destination whose
/// clocks are not known, or in a night in which they change.
fn arrival(
    fields: &Fields<'_>,
    departed: Option<u16>,
    scheduled: u16,
    behind: i8,
) -> Result<Option<Arrival>, RowFault> {
    let arrived = fields.clock("arr_time")?;
    let delay = fields.delay("arr_delay")?;
    let air_minutes = fields.number("air_time")?;
    let Some(arrived) = arrived else {
        return match (delay, air_minutes) {
            (Some(_), _) => Err(RowFault::NotSaid { column: "arr_time", because: "arr_delay is" }),
            (_, Some(_)) => Err(RowFault::NotSaid { column: "arr_time", because: "air_time is" }),
            (None, None) => Ok(None),
        };
    };
    if let Some(delay) = delay {
        agrees("arr_time", arrived, "sched_arr_time and arr_delay", scheduled, delay)?;
    }
    let mut elapsed = after(departed.unwrap_or_default(), arrived, behind);
    while elapsed <= i32::from(air_minutes.unwrap_or_default()) {
        elapsed += 60;
    }
    Ok(Some(Arrival { elapsed, delay, air_minutes }))
}

/// Minutes from a clock time in New York until the clocks `behind` hours behind show another: 1 minute to a day.
fn after(from: u16, to: u16, behind: i8) -> i32 {
    let minutes = (i32::from(to) - i32::from(from) + 60 * i32::from(behind)).rem_euclid(DAY);
    if minutes == 0 { DAY } else { minutes }
}

fn agrees(
    column: &'static str,
    said: u16,
    other: &'static str,
    scheduled: u16,
    delay: i16,
) -> Result<(), RowFault> {
    let implied = (i32::from(scheduled) + i32::from(delay)).rem_euclid(DAY);
    if implied == i32::from(said) {
        return Ok(());
    }
    let implied = u16::try_from(implied).unwrap_or_default();
    Err(RowFault::Contradiction { column, value: shown(said), other, implied: shown(implied) })
}

fn shown(clock: u16) -> String {
    format!("{:02}:{:02}", clock / 60, clock % 60)
}

/// Whole minutes since 1970. Years up to 5000 fit.
fn minutes(moment: OffsetDateTime) -> i32 {
    i32::try_from(moment.unix_timestamp().div_euclid(60)).unwrap_or(i32::MAX)
}

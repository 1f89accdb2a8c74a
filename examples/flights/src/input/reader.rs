//! The file, read as a stream: a header that must fit, then rows, good or malformed.

use std::{collections::HashMap, collections::hash_map::Entry, io::Read};

use csv::{ByteRecord, ReaderBuilder, Terminator, Trim};

use super::{Codes, InputError, Malformed, Row, RowFault, record};
use crate::history::FlightHistory;

/// The columns of the data set, in order.
pub const COLUMNS: [&str; 19] = [
    "year",
    "month",
    "day",
    "dep_time",
    "sched_dep_time",
    "dep_delay",
    "arr_time",
    "sched_arr_time",
    "arr_delay",
    "carrier",
    "flight",
    "tailnum",
    "origin",
    "dest",
    "air_time",
    "distance",
    "hour",
    "minute",
    "time_hour",
];

/// Reads flights. `malformed` is told of each row that says none; the others go on.
///
/// A flight that stands in the file a second time is malformed: the first one counts.
///
/// # Errors
///
/// When the header is another one, or reading fails.
pub fn read(file: impl Read, mut malformed: impl FnMut(Malformed)) -> Result<FlightHistory, InputError> {
    // Without quoting a line is a row, so that a stray quote cannot swallow the rows after it. Every row ends with a
    // line's end, also the last: so the reader stands at the beginning of the next line after it.
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .quoting(false)
        .terminator(Terminator::Any(b'\n'))
        .trim(Trim::All)
        .from_reader(file.chain(&b"\n"[..]));
    let mut record = ByteRecord::new();
    let mut next = |record: &mut ByteRecord| {
        loop {
            let line = reader.position().line();
            let found = reader.read_byte_record(record).map_err(|source| InputError::Read { line, source })?;
            let is_blank = record.len() == 1 && record.as_slice().is_empty();
            if !(found && is_blank) {
                return Ok::<_, InputError>(found.then(|| reader.position().line() - 1));
            }
        }
    };
    check_header(next(&mut record)?.is_some(), &record)?;

    let mut codes = Codes::default();
    let mut rows: Vec<Row> = Vec::new();
    let mut first_lines = HashMap::new();
    while let Some(line) = next(&mut record)? {
        match record::row(&record, &mut codes) {
            Err(fault) => malformed(Malformed { line, fault }),
            Ok(row) => match first_lines.entry(FlightHistory::identity(&row)) {
                Entry::Occupied(first) => {
                    let flight = FlightHistory::flight_id(&codes, &row);
                    malformed(Malformed { line, fault: RowFault::Repeated { flight, first: *first.get() } });
                }
                Entry::Vacant(place) => {
                    place.insert(line);
                    rows.push(row);
                }
            },
        }
    }
    drop(first_lines);
    Ok(FlightHistory::new(codes, rows))
}

fn check_header(any: bool, header: &ByteRecord) -> Result<(), InputError> {
    let expected = COLUMNS.join(",");
    if !any {
        return Err(InputError::Empty { expected });
    }
    if header.iter().eq(COLUMNS.iter().map(|column| column.as_bytes())) {
        return Ok(());
    }
    let found = String::from_utf8_lossy(&header.iter().collect::<Vec<_>>().join(&b","[..])).into_owned();
    Err(InputError::Header { expected, found: found.chars().take(300).collect() })
}

#[cfg(test)]
mod tests;

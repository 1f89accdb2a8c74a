//! Appends to a stream, inside a transaction that has, or takes here, the write lock.

use std::sync::Arc;

use projection_core::{
    EventRef, Position, StoreError, StreamId,
    append::{AppendError, Appended, ExpectedVersion, NewEvent, StreamAppend},
    store::SourceName,
};
use rusqlite::{
    Connection, params,
    types::{ToSqlOutput, ValueRef},
};
use serde::de::IgnoredAny;
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

use crate::{
    error::{Doing, unique_violation},
    sql,
};

/// An event as it is stored, without its places.
#[derive(Debug)]
pub(super) struct Row {
    event: EventRef,
    name: Arc<str>,
    time: String,
    data: Vec<u8>,
}

/// What is appended to one stream, checked and encoded.
#[derive(Debug)]
pub(super) struct StreamRows {
    stream: StreamId,
    expected: ExpectedVersion,
    rows: Vec<Row>,
}

/// Checks and encodes events, before anything is locked.
pub(super) fn encode(source: &SourceName, append: StreamAppend) -> Result<StreamRows, AppendError> {
    let now = OffsetDateTime::now_utc();
    let row = |new: NewEvent| {
        let event = new.event(source);
        let unstorable = |cause: String| AppendError::Unstorable { event: event.clone(), cause };
        serde_json::from_slice::<IgnoredAny>(new.data())
            .map_err(|error| unstorable(format!("its data is no JSON: {error}")))?;
        let time = new.time().unwrap_or(now).to_offset(UtcOffset::UTC).format(&Rfc3339);
        let time = time.map_err(|error| unstorable(format!("its time cannot be written: {error}")))?;
        Ok(Row { name: Arc::clone(new.name()), event, time, data: new.into_data() })
    };
    let StreamAppend { stream, expected, events } = append;
    let rows = events.into_iter().map(row).collect::<Result<_, AppendError>>()?;
    Ok(StreamRows { stream, expected, rows })
}

/// Appends to streams, in this order. After an error some of it may be there: the caller rolls back.
pub(super) fn append(
    connection: &Connection,
    doing: &Doing,
    source: &SourceName,
    appends: Vec<StreamRows>,
) -> Result<Appended, AppendError> {
    let before = last(connection, doing)?;
    let (mut reached, mut versions) = (before, Vec::new());
    for StreamRows { stream, expected, rows } in appends {
        let version = version(connection, doing, &stream)?;
        if !expected.accepts(version.unsigned_abs()) {
            return Err(AppendError::Conflict { stream, expected, actual: version.unsigned_abs() });
        }
        insert(connection, doing, (reached.as_i64(), &stream, version), &rows)?;
        let appended = sql::int(rows.len() as u64);
        reached = Position::try_from(reached.as_i64() + appended).map_err(StoreError::permanent)?;
        versions.push((stream, (version + appended).unsigned_abs()));
    }
    let (after, last) = if reached == before { (Position::START, Position::START) } else { (before, reached) };
    Ok(Appended::new(source.clone(), after, last, versions))
}

/// How many events the stream has.
fn version(connection: &Connection, doing: &Doing, stream: &StreamId) -> Result<i64, StoreError> {
    let version = connection.prepare_cached("SELECT ifnull(max(stream_version), 0) FROM events WHERE stream = ?1");
    let version = version.and_then(|mut version| version.query_row([stream.as_str()], |row| row.get(0)));
    version.map_err(|error| doing.failed(error))
}

/// Inserts `rows` after this position and version.
fn insert(
    connection: &Connection,
    doing: &Doing,
    (last, stream, version): (i64, &StreamId, i64),
    rows: &[Row],
) -> Result<(), AppendError> {
    let failed = |error| AppendError::Store(doing.failed(error));
    let insert = "INSERT INTO events (position, type, stream, stream_version, source, id, time, data) \
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut insert = connection.prepare_cached(insert).map_err(failed)?;
    for (row, place) in rows.iter().zip(1..) {
        let data = ToSqlOutput::Borrowed(ValueRef::Text(&row.data));
        let EventRef { source, id } = &row.event;
        let values = params![last + place, row.name, stream.as_str(), version + place, source, id, row.time, data];
        insert.execute(values).map_err(|error| match unique_violation(&error) {
            Some(columns) if columns.contains("events.source") => AppendError::Duplicate(row.event.clone()),
            _ => failed(error),
        })?;
    }
    Ok(())
}

/// The position of the last event.
pub(super) fn last(connection: &Connection, doing: &Doing) -> Result<Position, StoreError> {
    let last = connection.prepare_cached("SELECT ifnull(max(position), 0) FROM events");
    let last = last.and_then(|mut last| last.query_row([], |row| row.get(0)));
    let last: i64 = last.map_err(|error| doing.failed(error))?;
    Position::try_from(last).map_err(StoreError::permanent)
}

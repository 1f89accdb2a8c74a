//! Appends to a stream, inside a transaction that has, or takes here, the write lock.

use std::{fmt, sync::Arc};

use projection_core::{EventRef, Position, StoreError, StreamId, store::SourceName};
use rusqlite::{
    Connection, params,
    types::{ToSqlOutput, ValueRef},
};
use serde::de::IgnoredAny;
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

use super::{AppendError, NewEvent};
use crate::{
    error::{Doing, unique_violation},
    sql,
};

/// The version that a stream must have for events to be appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedVersion {
    /// Whatever it is.
    Any,
    /// None: the stream has no events.
    NoStream,
    /// This one: the stream has so many events.
    Exact(u64),
}

impl fmt::Display for ExpectedVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any version"),
            Self::NoStream => f.write_str("no stream"),
            Self::Exact(version) => write!(f, "version {version}"),
        }
    }
}

/// Where events stand that were appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The position of the store's last event: the last of those appended.
    pub position: Position,
    /// The version of the stream now: the place of its last event.
    pub stream_version: u64,
}

/// An event as it is stored, without its places.
#[derive(Debug)]
pub(super) struct Row {
    event: EventRef,
    name: Arc<str>,
    time: String,
    data: Vec<u8>,
}

/// Checks and encodes events, before anything is locked.
pub(super) fn rows(
    source: &SourceName,
    events: impl IntoIterator<Item = NewEvent>,
) -> Result<Vec<Row>, AppendError> {
    let now = OffsetDateTime::now_utc();
    let row = |new: NewEvent| {
        let event = EventRef { source: new.source.unwrap_or_else(|| source.as_str().into()), id: new.id };
        let unstorable = |cause: String| AppendError::Unstorable { event: event.clone(), cause };
        serde_json::from_slice::<IgnoredAny>(&new.data)
            .map_err(|error| unstorable(format!("its data is no JSON: {error}")))?;
        let time = new.time.unwrap_or(now).to_offset(UtcOffset::UTC).format(&Rfc3339);
        let time = time.map_err(|error| unstorable(format!("its time cannot be written: {error}")))?;
        Ok(Row { event, name: new.name, time, data: new.data })
    };
    events.into_iter().map(row).collect()
}

/// Appends to a stream. After an error some of it may be there: the caller rolls back.
pub(super) fn append(
    connection: &Connection,
    doing: &Doing,
    stream: StreamId,
    expected: ExpectedVersion,
    rows: &[Row],
) -> Result<Appended, AppendError> {
    let failed = |error| AppendError::Store(doing.failed(error));
    let version = "SELECT ifnull(max(stream_version), 0) FROM events WHERE stream = ?1";
    let mut version = connection.prepare_cached(version).map_err(failed)?;
    let version: i64 = version.query_row([stream.as_str()], |row| row.get(0)).map_err(failed)?;
    let is_expected = match expected {
        ExpectedVersion::Any => true,
        ExpectedVersion::NoStream => version == 0,
        ExpectedVersion::Exact(expected) => version == sql::int(expected),
    };
    if !is_expected {
        return Err(AppendError::Conflict { stream, expected, actual: version.unsigned_abs() });
    }

    let last = last(connection, doing)?.as_i64();
    let insert = "INSERT INTO events (position, type, stream, stream_version, source, id, time, data) \
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut insert = connection.prepare_cached(insert).map_err(failed)?;
    let mut appended = 0;
    for row in rows {
        appended += 1;
        let data = ToSqlOutput::Borrowed(ValueRef::Text(&row.data));
        let EventRef { source, id } = &row.event;
        let places = (last + appended, version + appended);
        insert
            .execute(params![places.0, row.name, stream.as_str(), places.1, source, id, row.time, data])
            .map_err(|error| match unique_violation(&error) {
                Some(columns) if columns.contains("events.source") => AppendError::Duplicate(row.event.clone()),
                _ => failed(error),
            })?;
    }
    let position = Position::try_from(last + appended).map_err(StoreError::permanent)?;
    Ok(Appended { position, stream_version: (version + appended).unsigned_abs() })
}

/// The position of the last event.
pub(super) fn last(connection: &Connection, doing: &Doing) -> Result<Position, StoreError> {
    let last = connection.prepare_cached("SELECT ifnull(max(position), 0) FROM events");
    let last = last.and_then(|mut last| last.query_row([], |row| row.get(0)));
    let last: i64 = last.map_err(|error| doing.failed(error))?;
    Position::try_from(last).map_err(StoreError::permanent)
}

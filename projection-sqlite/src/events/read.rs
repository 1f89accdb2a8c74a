//! Reads one page of events, in position order.

use std::{collections::HashSet, sync::Arc};

use projection_core::{ErrorKind, EventMetadata, EventRef, Filter, Position, StoreError, StreamId, store::Window};
use rusqlite::{Connection, Row, Rows, ToSql, params, types::ValueRef};
use serde::Serialize;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::SqlitePage;
use crate::{error::Doing, sql};

/// How many bytes of data make a page, whatever was asked. An event that is larger makes a page of its own.
const MAX_BYTES: usize = 16 << 20;

/// Reads the events in `window` that pass `filter`: `limit` at most, and one more to know whether that is all.
pub(super) fn page(
    connection: &Connection,
    doing: &Doing,
    window: Window,
    filter: &Filter,
    limit: usize,
) -> Result<SqlitePage, StoreError> {
    let failed = |error| doing.failed(error);
    let (names, streams) = (list(filter.names())?, list(filter.streams())?);
    let mut select = connection.prepare_cached(&select(names.is_some(), streams.is_some())).map_err(failed)?;
    let (after, up_to) = (window.after.as_i64(), window.up_to.as_i64());
    let most = sql::int(limit as u64).saturating_add(1);
    let mut values: Vec<&dyn ToSql> = vec![&after, &up_to, &most];
    values.extend(names.iter().chain(&streams).map(|list| list as &dyn ToSql));
    let mut rows = select.query(&*values).map_err(failed)?;

    let mut page = SqlitePage::empty(window.up_to);
    if !fill(&mut page, &mut rows, doing, limit)? {
        page.cut(window.after);
    }
    Ok(page)
}

/// Reads the events of a stream after version `after`, `limit` at most.
pub(super) fn stream(
    connection: &Connection,
    doing: &Doing,
    stream: &StreamId,
    after: u64,
    limit: usize,
) -> Result<SqlitePage, StoreError> {
    let failed = |error| doing.failed(error);
    let select = format!("{SELECT} WHERE stream = ?1 AND stream_version > ?2 ORDER BY stream_version LIMIT ?3");
    let mut select = connection.prepare_cached(&select).map_err(failed)?;
    let values = params![stream.as_str(), sql::int(after), sql::int(limit as u64)];
    let mut rows = select.query(values).map_err(failed)?;
    let mut page = SqlitePage::empty(Position::START);
    fill(&mut page, &mut rows, doing, limit)?;
    page.cut(Position::START);
    Ok(page)
}

/// The position before the first event at `time` or later; the last position where there is none.
pub(super) fn before(connection: &Connection, doing: &Doing, time: OffsetDateTime) -> Result<Position, StoreError> {
    let failed = |error| doing.failed(error);
    let mut select = connection.prepare("SELECT position, time FROM events ORDER BY position").map_err(failed)?;
    let mut rows = select.query([]).map_err(failed)?;
    let mut last = 0;
    while let Some(row) = rows.next().map_err(failed)? {
        let position: i64 = row.get(0).map_err(failed)?;
        let at = row.get_ref(1).map_err(failed)?.as_str().map_err(|error| failed(error.into()))?;
        // Compared as times: as texts, one with a fraction of a second stands before one without.
        let at = OffsetDateTime::parse(at, &Rfc3339).map_err(|error| {
            doing.wrong(ErrorKind::Permanent, format!("the event at position {position} has no time: {error}"))
        })?;
        if at >= time {
            break;
        }
        last = position;
    }
    Position::try_from(last).map_err(StoreError::permanent)
}

/// Adds events until `limit` or the size of a page is reached; whether that were all.
fn fill(page: &mut SqlitePage, rows: &mut Rows<'_>, doing: &Doing, limit: usize) -> Result<bool, StoreError> {
    let failed = |error| doing.failed(error);
    let mut known = Known::default();
    while let Some(row) = rows.next().map_err(failed)? {
        let data = row.get_ref(7).map_err(failed)?.as_bytes().map_err(|error| failed(error.into()))?;
        let is_full = page.len() > 0 && page.bytes() + data.len() > MAX_BYTES;
        if page.len() >= limit || is_full {
            return Ok(false);
        }
        page.push(metadata(row, &mut known, doing)?, data);
    }
    Ok(true)
}

const SELECT: &str = "SELECT position, type, stream, stream_version, source, id, time, data FROM events";

/// By position and no other index: a page ends where the next one begins, whatever the filter lets pass.
fn select(by_name: bool, by_stream: bool) -> String {
    let mut select = format!("{SELECT} NOT INDEXED WHERE position > ?1 AND position <= ?2");
    if by_name {
        select += " AND type IN (SELECT value FROM json_each(?4))";
    }
    if by_stream {
        let list = if by_name { "?5" } else { "?4" };
        select += &format!(" AND stream IN (SELECT value FROM json_each({list}))");
    }
    select + " ORDER BY position LIMIT ?3"
}

fn list(values: Option<&impl Serialize>) -> Result<Option<String>, StoreError> {
    values.map(serde_json::to_string).transpose().map_err(StoreError::permanent)
}

/// Names that many events share are kept once a page.
#[derive(Debug, Default)]
struct Known(HashSet<Arc<str>>);

impl Known {
    fn get(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return Arc::clone(known);
        }
        let new: Arc<str> = name.into();
        self.0.insert(Arc::clone(&new));
        new
    }
}

fn metadata(row: &Row<'_>, known: &mut Known, doing: &Doing) -> Result<EventMetadata, StoreError> {
    let position: i64 = row.get(0).map_err(|error| doing.failed(error))?;
    let wrong = |what: &str| doing.wrong(ErrorKind::Permanent, format!("the event at position {position} {what}"));
    let text = |column: usize| match row.get_ref(column) {
        Ok(ValueRef::Text(text)) => str::from_utf8(text).map_err(|_| wrong("is not in UTF-8")),
        Ok(_) => Err(wrong("has something else than text where text belongs")),
        Err(error) => Err(doing.failed(error)),
    };
    let stands_at = Position::try_from(position).ok().filter(|position| *position > Position::START);
    let stands_at = stands_at.ok_or_else(|| wrong("stands before the first one"))?;
    let event = EventRef { source: known.get(text(4)?), id: text(5)?.into() };
    let version: i64 = row.get(3).map_err(|error| doing.failed(error))?;
    let time = OffsetDateTime::parse(text(6)?, &Rfc3339);
    let time = time.map_err(|error| wrong(&format!("has no time as in RFC 3339: {error}")))?;
    Ok(EventMetadata::new(stands_at, event, known.get(text(1)?), text(2)?)
        .with_stream_version(version.unsigned_abs())
        .with_time(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_along_the_positions_whatever_the_filter() {
        let mut connection = Connection::open_in_memory().unwrap();
        crate::schema::ensure(&mut connection, &Doing::new("opening", "x")).unwrap();
        for (by_name, by_stream) in [(false, false), (true, false), (false, true), (true, true)] {
            let select = format!("EXPLAIN QUERY PLAN {}", select(by_name, by_stream));
            let mut select = connection.prepare(&select).unwrap();
            let plan: Vec<String> = select.raw_query().mapped(|row| row.get(3)).map(Result::unwrap).collect();
            assert_eq!(plan[0], "SEARCH events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)");
            assert!(!plan.iter().any(|step| step.contains("ORDER BY")), "{plan:?}");
        }
    }
}

//! The mark, and what holds it.

use std::{
    collections::HashSet,
    sync::atomic::{AtomicI64, AtomicU64, Ordering},
};

use bson::{Bson, DateTime, Document, Timestamp, doc, oid::ObjectId};
use futures::TryStreamExt as _;
use mongodb::ClientSession;
use projection_core::{ErrorKind, Position, StoreError};
use serde::Deserialize;
use time::OffsetDateTime;

use super::{Positions, Reservation};

/// What a store and its clones have seen.
#[derive(Debug, Default)]
pub(in crate::events) struct Seen {
    /// The server's time of operation: what is read next must not be older.
    time: AtomicU64,
    /// The highest mark. A mark that was safe once is safe for good.
    mark: AtomicI64,
}

impl Seen {
    /// Lets a session read nothing that is older than what was seen.
    pub(in crate::events) fn advance(&self, session: &mut ClientSession) {
        let time = self.time.load(Ordering::SeqCst);
        let low = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap_or_default();
        if time > 0 {
            session.advance_operation_time(Timestamp { time: low(time >> 32), increment: low(time) });
        }
    }

    /// Remembers what a session has read or written.
    pub(in crate::events) fn remember(&self, session: &ClientSession) {
        if let Some(Timestamp { time, increment }) = session.operation_time() {
            self.time.fetch_max(u64::from(time) << 32 | u64::from(increment), Ordering::SeqCst);
        }
    }

    /// Something was seen that was written at this time.
    pub(in crate::events) fn reach(&self, time: u64) {
        self.time.fetch_max(time, Ordering::SeqCst);
    }

    /// That time; later times are greater numbers.
    pub(in crate::events) fn time(&self) -> u64 {
        self.time.load(Ordering::SeqCst)
    }

    fn mark(&self, mark: i64) -> i64 {
        self.mark.fetch_max(mark, Ordering::SeqCst).max(mark)
    }
}

/// What is there at one look.
#[derive(Debug, Default)]
pub(super) struct Found {
    last: Option<i64>,
    settled: HashSet<ObjectId>,
    pub(super) reservations: Vec<Row>,
}

/// A document of the collection: the counter, a reservation, or what settles one.
#[derive(Debug, Deserialize)]
pub(super) struct Row {
    #[serde(rename = "_id")]
    id: Bson,
    #[serde(default)]
    last: i64,
    #[serde(default)]
    low: i64,
    #[serde(default)]
    pub(super) owner: String,
    #[serde(default)]
    pub(super) session: Document,
    since: Option<DateTime>,
    expires: Option<DateTime>,
    /// In milliseconds.
    pub(super) age: Option<i64>,
    pub(super) is_over: bool,
    /// It is for a transaction of a caller.
    #[serde(default)]
    pub(super) theirs: bool,
    #[serde(skip)]
    pub(super) is_settled: bool,
}

impl Row {
    /// The id of a reservation.
    pub(super) fn id(&self) -> ObjectId {
        self.id.as_object_id().unwrap_or_default()
    }
}

impl Positions {
    /// The position up to which it is safe to read. One round trip; more when a reservation is older than it should be.
    pub(in crate::events) async fn mark(&self, session: &mut ClientSession) -> Result<Position, StoreError> {
        let mut found = self.look(session).await?;
        if self.sweep(&found.reservations).await {
            found = self.look(session).await?;
        }
        let last = found.last.ok_or_else(|| self.gone())?;
        let holding = found.reservations.iter().filter(|row| !row.is_settled).map(|row| row.low);
        let mark = self.seen.mark(holding.fold(last, i64::min));
        Position::try_from(mark).map_err(StoreError::permanent)
    }

    /// What holds the mark, the oldest first.
    pub(in crate::events) async fn holding(
        &self,
        session: &mut ClientSession,
    ) -> Result<Vec<Reservation>, StoreError> {
        let found = self.look(session).await?;
        let holding = found.reservations.into_iter().filter(|row| !row.is_settled);
        let mut holding = holding
            .map(|row| {
                Ok(Reservation {
                    owner: row.owner,
                    low: Position::try_from(row.low).map_err(StoreError::permanent)?,
                    since: time_of(row.since),
                    expires: time_of(row.expires),
                })
            })
            .collect::<Result<Vec<_>, StoreError>>()?;
        holding.sort_by_key(|reservation| reservation.since);
        Ok(holding)
    }

    /// One scan in the order of `_id`: first the counter, then what settles reservations, then these. Should the
    /// collection change under the scan, that order is the safe one.
    pub(super) async fn look(&self, session: &mut ClientSession) -> Result<Found, StoreError> {
        let shown = doc! {
            "last": 1, "low": 1, "owner": 1, "session": 1, "since": 1, "expires": 1, "theirs": 1,
            "age": { "$subtract": ["$$NOW", "$since"] },
            "is_over": { "$lte": ["$expires", "$$NOW"] },
        };
        let rows = self.collection.find(doc! {}).sort(doc! { "_id": 1 }).projection(shown);
        let mut rows = rows.session(&mut *session).await.map_err(|error| self.reading.failed(error))?;
        let mut found = Found::default();
        let mut stream = rows.stream(session);
        while let Some(row) = stream.try_next().await.map_err(|error| self.reading.failed(error))? {
            let row: Row = bson::deserialize_from_slice(row.as_bytes()).map_err(|error| self.not_ours(&error))?;
            match &row.id {
                Bson::Int32(super::COUNTER) => found.last = Some(row.last),
                Bson::Document(settled) => found.settled.extend(settled.get_object_id("settled").ok()),
                _ => found.reservations.push(row),
            }
        }
        for row in &mut found.reservations {
            row.is_settled = found.settled.contains(&row.id());
        }
        drop(stream);
        self.seen.remember(session);
        Ok(found)
    }

    fn not_ours(&self, error: &bson::error::Error) -> StoreError {
        self.reading.wrong(ErrorKind::Permanent, format!("a document is not ours, remove it: {error}"))
    }
}

fn time_of(date: Option<DateTime>) -> OffsetDateTime {
    let nanoseconds = i128::from(date.map_or(0, DateTime::timestamp_millis)) * 1_000_000;
    OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

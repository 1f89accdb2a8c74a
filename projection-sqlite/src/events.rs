//! Events in a table: appended by one writer at a time, read by position.

mod append;
mod page;
mod read;
mod wake;

use std::collections::BTreeSet;

use async_trait::async_trait;
use projection_core::{
    EventRef, EventStore, Filter, Position, StoreError, StreamId,
    append::{AppendError, AppendEvents, Appended, ExpectedVersion, NewEvent, StreamAppend},
    store::{SourceName, WakeUp, Window},
};
use rusqlite::{OptionalExtension as _, Transaction, params};
use time::OffsetDateTime;

pub use self::page::{SqliteEvent, SqlitePage};
pub(crate) use self::wake::Appends;
use crate::{database::Database, error::Doing};

/// The table.
const EVENTS: &str = "events";

/// An event store over the table `events` of a file. Cheap to clone.
///
/// Positions run from 1 without gaps, in the order of commits: there is one writer at a time, so that the mark is the
/// last position (spec: H6).
#[derive(Debug, Clone)]
pub struct SqliteEvents {
    database: Database,
    source: SourceName,
    reading: Doing,
    appending: Doing,
    appends: Appends,
}

impl SqliteEvents {
    pub(crate) fn new(database: Database, source: SourceName, appends: Appends) -> Self {
        let (reading, appending) = (Doing::new("reading", EVENTS), Doing::new("appending to", EVENTS));
        Self { database, source, reading, appending, appends }
    }

    /// Appends to a stream in a transaction of yours, on a connection of yours to the same file: so your own tables and
    /// the events change in one step. Blocks; nothing is stored before you commit.
    ///
    /// Append late and keep it short: from here to the end of the transaction, every other writer waits.
    ///
    /// # Errors
    ///
    /// As [`append_all`](AppendEvents::append_all); the transaction is then as it was before.
    pub fn append_in(
        &self,
        transaction: &mut Transaction<'_>,
        stream: impl Into<StreamId>,
        expected: ExpectedVersion,
        events: impl IntoIterator<Item = NewEvent>,
    ) -> Result<Appended, AppendError> {
        let failed = |error| AppendError::Store(self.appending.failed(error));
        let rows = append::encode(&self.source, StreamAppend::new(stream, expected, events))?;
        let savepoint = transaction.savepoint().map_err(failed)?;
        let appended = append::append(&savepoint, &self.appending, &self.source, vec![rows])?;
        savepoint.commit().map_err(failed)?;
        Ok(appended)
    }
}

#[async_trait]
impl EventStore for SqliteEvents {
    type Page = SqlitePage;

    fn source(&self) -> SourceName {
        self.source.clone()
    }

    async fn mark(&self) -> Result<Position, StoreError> {
        let doing = self.reading.clone();
        self.database.read(&self.reading, move |transaction| append::last(transaction, &doing)).await
    }

    /// A page ends at `limit` events or at 16 MiB of data. No transaction outlives the read.
    async fn read(&self, window: Window, filter: &Filter, limit: usize) -> Result<SqlitePage, StoreError> {
        let nothing_passes =
            filter.names().is_some_and(BTreeSet::is_empty) || filter.streams().is_some_and(BTreeSet::is_empty);
        if nothing_passes || window.after >= window.up_to {
            return Ok(SqlitePage::empty(window.up_to));
        }
        let (filter, doing) = (filter.clone(), self.reading.clone());
        self.database
            .read(&self.reading, move |transaction| read::page(transaction, &doing, window, &filter, limit))
            .await
    }

    async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError> {
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let (events, doing) = (events.to_vec(), self.reading.clone());
        let locate = move |transaction: &Transaction<'_>| {
            let failed = |error| doing.failed(error);
            let select = "SELECT position FROM events WHERE source = ?1 AND id = ?2";
            let mut select = transaction.prepare_cached(select).map_err(failed)?;
            let mut find = |event: &EventRef| {
                let found = select.query_row(params![event.source, event.id], |row| row.get(0));
                let found: Option<i64> = found.optional().map_err(failed)?;
                found.map(Position::try_from).transpose().map_err(StoreError::permanent)
            };
            events.iter().map(&mut find).collect()
        };
        self.database.read(&self.reading, locate).await
    }

    async fn before(&self, time: OffsetDateTime) -> Result<Position, StoreError> {
        let doing = self.reading.clone();
        self.database.read(&self.reading, move |transaction| read::before(transaction, &doing, time)).await
    }

    /// Told of what is appended through this store and its clones; the appends of other processes are found when the
    /// file is asked.
    async fn wake_up(&self) -> Result<Option<Box<dyn WakeUp>>, StoreError> {
        Ok(Some(Box::new(self.appends.listen())))
    }
}

#[async_trait]
impl AppendEvents for SqliteEvents {
    /// In a transaction of its own. Waits while another process writes. Once it has begun it goes on to its end, also if
    /// this future is dropped.
    async fn append_all(&self, appends: Vec<StreamAppend>) -> Result<Appended, AppendError> {
        let rows = appends.into_iter().map(|append| append::encode(&self.source, append));
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let (source, doing) = (self.source.clone(), self.appending.clone());
        let append = move |transaction: &mut Transaction<'_>| append::append(transaction, &doing, &source, rows);
        let appended = self.database.write(&self.appending, append).await?;
        self.appends.happened();
        Ok(appended)
    }

    async fn read_stream(&self, stream: &StreamId, after: u64, limit: usize) -> Result<SqlitePage, StoreError> {
        let (stream, doing) = (stream.clone(), self.reading.clone());
        self.database
            .read(&self.reading, move |transaction| read::stream(transaction, &doing, &stream, after, limit))
            .await
    }
}

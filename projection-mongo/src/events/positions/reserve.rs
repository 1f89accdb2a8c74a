//! Reserving positions, and using a reservation in the transaction that writes the events.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use bson::{Document, doc, oid::ObjectId};
use mongodb::ClientSession;
use projection_core::{ErrorKind, StoreError};

use super::{COUNTER, Positions, settled};
use crate::{
    bulk::Reply,
    error::{DUPLICATE_KEY, Doing},
};

/// How long it is known where the counter stands. Others take positions meanwhile: then a reservation holds the mark
/// lower than it had to, for as long as its append takes.
const KNOWN: Duration = Duration::from_secs(1);

/// Where the counter stood when positions were taken last.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<Option<(i64, Instant)>>);

impl Known {
    fn get(&self) -> Option<i64> {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.filter(|(_, at)| at.elapsed() < KNOWN).map(|(last, _)| last)
    }

    /// The newest answer counts, also if it is lower.
    fn set(&self, last: i64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((last, Instant::now()));
    }
}

/// Whose transaction the events are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::events) enum Within {
    /// One of ours: begun after its reservation was made.
    Ours,
    /// One of a caller: it may have begun before, and does not see the reservation then.
    Theirs,
}

/// A reservation, and the positions that were taken under it.
#[derive(Debug)]
pub(in crate::events) struct Reserved {
    pub(in crate::events) id: ObjectId,
    within: Within,
    pub(in crate::events) made: Instant,
    pub(in crate::events) first: i64,
    pub(in crate::events) last: i64,
}

impl Reserved {
    pub(super) fn is_theirs(&self) -> bool {
        self.within == Within::Theirs
    }
}

impl Positions {
    /// Reserves positions for a transaction of this session. Two round trips.
    pub(in crate::events) async fn reserve(
        &self,
        session: &Document,
        within: Within,
        count: i64,
    ) -> Result<Reserved, StoreError> {
        let (id, made) = (ObjectId::new(), Instant::now());
        let low = self.low().await?;
        let ttl = i64::try_from(self.ttl.as_millis()).unwrap_or(i64::MAX);
        let reservation = doc! {
            "low": low,
            "owner": { "$literal": &*self.owner },
            "session": { "$literal": session },
            "since": "$$NOW",
            "expires": { "$add": ["$$NOW", ttl] },
            "theirs": { "$literal": within == Within::Theirs },
        };
        let insert = doc! { "q": { "_id": id }, "u": [{ "$set": reservation }], "upsert": true };
        let command = doc! {
            "update": &self.target.collection,
            "updates": [insert],
            "writeConcern": { "w": 1 },
        };
        self.run(command).await?;
        let mut reserved = Reserved { id, within, made, first: 0, last: 0 };
        if let Err(error) = self.take(&mut reserved, count, 0).await {
            self.release(&reserved).await;
            return Err(error);
        }
        if reserved.first <= low {
            // The reservation does not hold the mark below these positions: they are not used.
            self.release(&reserved).await;
            let message = "the counter of positions was set back, as it is in a failover";
            return Err(self.writing.wrong(ErrorKind::Transient, message));
        }
        Ok(reserved)
    }

    /// What the counter was a moment ago. A round trip, if it was not seen for a second.
    async fn low(&self) -> Result<i64, StoreError> {
        if let Some(last) = self.known.get() {
            return Ok(last);
        }
        let counter = crate::find::primary(&self.target.database, &self.target.collection);
        let counter =
            counter.find_one(doc! { "_id": COUNTER }).await.map_err(|error| self.reading.failed(error))?;
        counter.and_then(|counter| counter.get_i64("last").ok()).ok_or_else(|| self.gone())
    }

    /// Takes positions, all above `above`, under a reservation that is there.
    pub(in crate::events) async fn take(
        &self,
        reserved: &mut Reserved,
        count: i64,
        above: i64,
    ) -> Result<(), StoreError> {
        let last = doc! { "$add": [{ "$max": ["$last", above] }, count] };
        let command = doc! {
            "findAndModify": &self.target.collection,
            "query": { "_id": COUNTER },
            "update": [{ "$set": { "last": last } }],
            "new": true,
            "writeConcern": { "w": 1 },
        };
        let (answer, _) = self.run(command).await?;
        let last = answer.get_document("value").and_then(|counter| counter.get_i64("last"));
        reserved.last = last.map_err(|_| self.gone())?;
        self.known.set(reserved.last);
        reserved.first = reserved.last - count + 1;
        Ok(())
    }

    /// Uses the reservation in a transaction: from here on, either the transaction commits, or the mark was not held by
    /// it any more. `false`: it is gone. A round trip, or two.
    pub(in crate::events) async fn redeem(
        &self,
        session: &mut ClientSession,
        reserved: &Reserved,
    ) -> Result<bool, StoreError> {
        match reserved.within {
            Within::Ours => {
                let delete = doc! { "q": { "_id": reserved.id }, "limit": 1 };
                let command = doc! { "delete": &self.target.collection, "deletes": [delete] };
                Ok(self.run_in(session, command).await?.n == 1)
            }
            Within::Theirs => {
                let settle = doc! { "_id": settled(reserved.id) };
                let command = doc! { "insert": &self.target.collection, "documents": [settle] };
                match self.run_in(session, command).await {
                    Ok(_) => self.is_seen_or_younger(session, reserved).await,
                    Err(error) if error.kind() == ErrorKind::Unique => Ok(false),
                    Err(error) => Err(error),
                }
            }
        }
    }

    /// A transaction that does not see the reservation must have begun before it was made. Otherwise it was taken away.
    async fn is_seen_or_younger(
        &self,
        session: &mut ClientSession,
        reserved: &Reserved,
    ) -> Result<bool, StoreError> {
        let failed = |error| self.reading.failed(error);
        if self
            .collection
            .find_one(doc! { "_id": reserved.id })
            .session(&mut *session)
            .await
            .map_err(failed)?
            .is_some()
        {
            return Ok(true);
        }
        let counter = self.collection.find_one(doc! { "_id": COUNTER }).session(session).await.map_err(failed)?;
        let last = counter.and_then(|counter| counter.get_i64("last").ok());
        Ok(last.is_some_and(|last| last < reserved.last))
    }

    async fn run_in(&self, session: &mut ClientSession, command: Document) -> Result<Reply, StoreError> {
        let doing: &Doing = &self.writing;
        let reply = self.target.database.run_command(command).session(session).await;
        let reply = Reply::of(&reply.map_err(|error| doing.failed(error))?);
        match reply.errors.first() {
            Some(error) if error.code == DUPLICATE_KEY => {
                Err(doing.refused(ErrorKind::Unique, error.code, &error.message))
            }
            Some(error) => Err(error.error(doing)),
            None => Ok(reply),
        }
    }
}

//! Positions that are safe to read up to: a counter gives them out, and a reservation holds the mark until the events
//! that have them are committed or never will be.
//!
//! Both are in a collection beside the events. An append inserts its reservation, which says how far the counter was;
//! then it takes positions from the counter; and the transaction that writes the events takes the reservation away. So a
//! reader that sees the counter beyond a position either sees the reservation, or the events, or a reservation that
//! another has taken away: then that transaction fails.
//!
//! Reservation and counter need no majority of their own. Whatever a failover undoes, it undoes from some point on: with
//! the reservation gone, the transaction fails; with only the counter set back, the reservation still holds the mark, and
//! a position that is given out twice is refused by its unique index.

mod look;
mod reserve;
mod sweep;

use std::{sync::Arc, time::Duration};

use bson::{Bson, Document, RawDocumentBuf, doc, oid::ObjectId};
use mongodb::{Collection, Database};
use projection_core::{ErrorKind, Position, StoreError};
use time::OffsetDateTime;

pub(super) use self::{
    look::Seen,
    reserve::{Reserved, Within},
};
use self::{reserve::Known, sweep::Sweeps};
use crate::{
    bulk::{Reply, Target},
    error::Doing,
};

/// The `_id` of the counter. Numbers come before all other ids, so that a scan by `_id` reads it first.
const COUNTER: i32 = 0;

/// The counter and the reservations of a collection of events. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Positions {
    target: Target,
    /// Read with majority, from the primary.
    collection: Collection<RawDocumentBuf>,
    owner: Arc<str>,
    ttl: Duration,
    seen: Arc<Seen>,
    known: Arc<Known>,
    sweeps: Arc<Sweeps>,
    reading: Doing,
    writing: Doing,
}

/// A reservation that holds the mark: an append that has positions and has not committed its events yet.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reservation {
    /// Which process it is, as [`MongoEventsOptions::with_owner`](super::MongoEventsOptions::with_owner) said there.
    pub owner: String,
    /// The mark does not pass this position while the reservation is there.
    pub low: Position,
    /// When it was made, by the server's clock.
    pub since: OffsetDateTime,
    /// When it is taken away, by the server's clock, with the transaction that it is for. Long before that, it is taken
    /// away if there is no such transaction.
    pub expires: OffsetDateTime,
}

impl Positions {
    pub(super) fn new(database: &Database, events: &str, owner: Arc<str>, ttl: Duration, seen: Arc<Seen>) -> Self {
        let name = Self::collection_for(events);
        Self {
            collection: super::open::majority(database, &name),
            owner,
            ttl,
            seen,
            known: Arc::default(),
            sweeps: Arc::default(),
            reading: Doing::new("reading", &name),
            writing: Doing::new("writing to", &name),
            target: Target { database: database.clone(), collection: name },
        }
    }

    /// The collection of the positions of these events.
    pub(super) fn collection_for(events: &str) -> String {
        format!("{events}.positions")
    }

    /// The collection.
    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    /// Whether events have been appended here, or at least a store was opened for it.
    pub(super) async fn exist(&self) -> Result<bool, StoreError> {
        let counter = self.collection.find_one(doc! { "_id": COUNTER }).await;
        Ok(counter.map_err(|error| self.reading.failed(error))?.is_some())
    }

    /// Makes the counter, or raises it, to this position at least: that of events which were not appended.
    pub(super) async fn raise(&self, to: Position) -> Result<(), StoreError> {
        let to = to.as_i64();
        let update = doc! {
            "q": { "_id": COUNTER },
            "u": { "$max": { "last": to, "raised": to } },
            "upsert": true,
        };
        let command = doc! {
            "update": &self.target.collection,
            "updates": [update],
            "writeConcern": { "w": "majority" },
        };
        self.run(command).await.map(drop)
    }

    /// Runs a command that writes; an error of one of its statements is an error of all.
    async fn run(&self, command: Document) -> Result<(Document, Reply), StoreError> {
        let answer = self.target.database.run_command(command).await;
        let answer = answer.map_err(|error| self.writing.failed(error))?;
        let reply = Reply::of(&answer);
        match (reply.errors.first(), &reply.unconfirmed) {
            (Some(error), _) => Err(error.error(&self.writing)),
            (None, Some(unconfirmed)) => Err(unconfirmed.error(&self.writing)),
            (None, None) => Ok((answer, reply)),
        }
    }

    fn gone(&self) -> StoreError {
        let message = "the counter of positions is gone: open the store again";
        self.reading.wrong(ErrorKind::Permanent, message)
    }
}

/// The `_id` by which a transaction of a caller says that the reservation is used, and everybody else that it never
/// will be.
fn settled(reservation: ObjectId) -> Bson {
    doc! { "settled": reservation }.into()
}

//! Takes away reservations whose append is over, so that a dead appender holds the mark for seconds.

use std::time::{Duration, Instant};

use bson::{Document, doc, oid::ObjectId};
use projection_core::StoreError;
use tokio::sync::Mutex;

use super::{Positions, Reserved, look::Row, settled};
use crate::error::{DUPLICATE_KEY, MongoError, code_of};

/// A reservation of this age, in milliseconds, is taken away if no transaction uses it.
const ABANDONED: i64 = 2_000;
/// No two sweeps follow each other faster.
const INTERVAL: Duration = Duration::from_millis(500);
/// How long a transaction that uses a reservation is waited for, in milliseconds; and how long, once it was ended.
const SHORT: i64 = 30;
const LONG: i64 = 2_000;
/// How long it is kept that a reservation was given up, in milliseconds: a day.
const KEPT: i64 = 86_400_000;
/// The code of a statement that took longer than it may.
const TOO_LONG: i32 = 50;

/// Locked while there is a sweep.
#[derive(Debug, Default)]
pub(super) struct Sweeps(Mutex<Last>);

#[derive(Debug, Default)]
struct Last {
    at: Option<Instant>,
    /// The reservation that was warned of.
    warned: Option<ObjectId>,
}

/// What became of a reservation.
enum Swept {
    /// It is gone, and its events never will be there.
    GivenUp,
    /// It is gone, or settled.
    Over,
    /// A transaction uses it.
    InUse,
}

impl Positions {
    /// Takes away what is abandoned, expired or settled; whether there was any. Never an error: what cannot be taken away
    /// holds the mark.
    pub(super) async fn sweep(&self, reservations: &[Row]) -> bool {
        let is_due = |row: &&Row| row.is_settled || row.is_over || row.age.is_some_and(|age| age >= ABANDONED);
        if !reservations.iter().any(|row| is_due(&row)) {
            return false;
        }
        let Ok(mut last) = self.sweeps.0.try_lock() else { return false };
        if last.at.is_some_and(|at| at.elapsed() < INTERVAL) {
            return false;
        }
        let mut any = false;
        for row in reservations.iter().filter(is_due) {
            let (owner, age_ms, id) = (&row.owner, row.age, row.id());
            match self.sweep_one(row).await {
                Ok(Swept::GivenUp) => {
                    tracing::warn!(
                        owner,
                        age_ms,
                        "an append was given up: its process is dead, stuck, or did not commit"
                    );
                    any = true;
                }
                Ok(Swept::Over) => any = true,
                Ok(Swept::InUse) if last.warned != Some(id) => {
                    tracing::warn!(owner, age_ms, "an append holds the mark: its transaction has not ended yet");
                    last.warned = Some(id);
                }
                Ok(Swept::InUse) => {}
                Err(error) => {
                    tracing::warn!(owner, age_ms, %error, "an append holds the mark, and is not given up");
                }
            }
        }
        last.at = Some(Instant::now());
        any
    }

    async fn sweep_one(&self, row: &Row) -> Result<Swept, StoreError> {
        if row.is_settled {
            self.forget(row.id()).await?;
            return Ok(Swept::Over);
        }
        if row.is_over {
            self.kill(&row.session).await;
        }
        let limit = if row.is_over { LONG } else { SHORT };
        self.withdraw(row.id(), row.theirs, limit).await
    }

    /// Takes a reservation away, unless a transaction uses it. Once it is gone, none ever will.
    async fn withdraw(&self, id: ObjectId, theirs: bool, limit: i64) -> Result<Swept, StoreError> {
        let settle = doc! {
            "insert": &self.target.collection,
            "documents": [{ "_id": settled(id), "given_up": true }],
            "maxTimeMS": limit,
            "writeConcern": { "w": "majority" },
        };
        if theirs {
            match self.run(settle).await {
                Ok(_) => {}
                Err(error) if code(&error) == Some(TOO_LONG) => return Ok(Swept::InUse),
                Err(error) if code(&error) == Some(DUPLICATE_KEY) => return Ok(Swept::Over),
                Err(error) => return Err(error),
            }
        }
        match self.delete(doc! { "_id": id }, limit).await {
            Ok(1..) if theirs => {
                self.forget_old().await?;
                Ok(Swept::GivenUp)
            }
            Ok(1..) => Ok(Swept::GivenUp),
            Ok(0) => Ok(Swept::Over),
            Err(error) if code(&error) == Some(TOO_LONG) => Ok(Swept::InUse),
            Err(error) => Err(error),
        }
    }

    /// Takes away a reservation whose transaction has failed, as far as is known, and waits for nothing.
    pub(in crate::events) async fn release(&self, reserved: &Reserved) {
        if let Err(error) = self.withdraw(reserved.id, reserved.is_theirs(), SHORT).await {
            tracing::debug!(%error, "a reservation was not taken away, and is left to the next reader");
        }
    }

    /// Makes sure that a transaction of ours, of which it is not known whether it committed, does not any more.
    pub(in crate::events) async fn end_unknown(
        &self,
        session: &Document,
        reserved: &Reserved,
    ) -> Result<(), StoreError> {
        self.kill(session).await;
        match self.withdraw(reserved.id, reserved.is_theirs(), LONG).await? {
            Swept::InUse => Err(StoreError::transient("a transaction has neither committed nor ended")),
            Swept::GivenUp | Swept::Over => Ok(()),
        }
    }

    /// Removes a reservation that was used, then what says so.
    async fn forget(&self, id: ObjectId) -> Result<(), StoreError> {
        self.delete(doc! { "_id": id }, LONG).await?;
        self.delete(doc! { "_id": settled(id), "given_up": { "$exists": false } }, LONG).await?;
        Ok(())
    }

    /// What says that a reservation was given up stays until no transaction can be as old as that.
    async fn forget_old(&self) -> Result<(), StoreError> {
        let made = doc! { "$toDate": "$_id.settled" };
        let old = doc! { "$lt": [made, { "$subtract": ["$$NOW", KEPT] }] };
        let query = doc! { "_id": { "$type": "object" }, "$expr": old };
        let deletes = [doc! { "q": query, "limit": 0 }];
        self.run(doc! { "delete": &self.target.collection, "deletes": deletes.to_vec() }).await.map(drop)
    }

    async fn delete(&self, query: Document, limit: i64) -> Result<usize, StoreError> {
        let command = doc! {
            "delete": &self.target.collection,
            "deletes": [{ "q": query, "limit": 1 }],
            "maxTimeMS": limit,
            "writeConcern": { "w": "majority" },
        };
        Ok(self.run(command).await?.1.n)
    }

    async fn kill(&self, session: &Document) {
        let admin = self.target.database.client().database("admin");
        if let Err(error) = admin.run_command(doc! { "killSessions": [session] }).await {
            tracing::warn!(code = code_of(&error), "a transaction cannot be ended, and is waited for");
        }
    }
}

fn code(error: &StoreError) -> Option<i32> {
    error.get_ref().downcast_ref::<MongoError>().and_then(MongoError::code)
}

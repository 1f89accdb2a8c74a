//! The mark of a collection that others write: below the lowest position that is still to be filled.
//!
//! The scan for gaps is over positions alone, by their index, and has no filter: what no view takes is not a gap.

mod age;
mod ledger;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use bson::{RawDocument, doc};
use futures::TryStreamExt as _;
use mongodb::{ClientSession, change_stream::event::ResumeToken};
use projection_core::{Position, StoreError};

use self::{
    age::{OldUpTo, is_dated},
    ledger::Ledger,
};
use super::{MongoEvents, parse};

/// How many positions are looked at first; there are few when one is empty.
const FEW: u32 = 128;
/// And then at once.
const MANY: u32 = 10_000;

/// What a store and its clones know of positions that others fill.
#[derive(Debug)]
pub(super) struct Others {
    horizon: Duration,
    /// One looks at a time.
    looking: tokio::sync::Mutex<()>,
    ledger: Mutex<Ledger>,
    /// How many events came late.
    late: AtomicU64,
    /// Where they stand, until someone takes that.
    told: Mutex<Vec<Position>>,
    /// Up to where changes were listened to.
    heard: Mutex<Heard>,
}

/// Where listening goes on.
#[derive(Debug, Clone, Default)]
pub(super) enum Heard {
    /// Nothing was listened to, and no mark was given out that this could matter to.
    #[default]
    Nothing,
    /// From a time of the server on: there the first mark was given out.
    From(u64),
    After(ResumeToken),
}

/// The event with the highest position.
#[derive(Debug)]
struct Head {
    position: i64,
    /// Whether its `_id` says when it was made.
    is_dated: bool,
}

impl Others {
    pub(super) fn new(horizon: Duration) -> Arc<Self> {
        Arc::new(Self {
            horizon,
            looking: tokio::sync::Mutex::default(),
            ledger: Mutex::new(Ledger::new(horizon)),
            late: AtomicU64::new(0),
            told: Mutex::default(),
            heard: Mutex::default(),
        })
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// While a position is empty, time alone moves the mark: after so long it is to be asked for again.
    pub(super) fn ask_again(&self) -> Option<Duration> {
        let held = self.ledger().held().is_some();
        held.then(|| (self.horizon / 16).clamp(Duration::from_millis(10), Duration::from_secs(1)))
    }

    /// The lowest empty position below others that are filled, since when that is known, and how long it may last.
    pub(super) fn held(&self) -> Option<(i64, Duration, Duration)> {
        let (position, since) = self.ledger().held()?;
        Some((position, since.elapsed(), self.horizon))
    }

    /// Whether an event came after its position was closed; counted.
    pub(super) fn is_late(&self, position: i64, time: u64) -> bool {
        let is_late = self.ledger().is_late(position, time);
        if is_late {
            self.late.fetch_add(1, Ordering::SeqCst);
        }
        is_late
    }

    /// How many events came late.
    pub(super) fn late(&self) -> u64 {
        self.late.load(Ordering::SeqCst)
    }

    pub(super) fn tell_late(&self, position: Position) {
        self.told().push(position);
    }

    pub(super) fn take_late(&self) -> Vec<Position> {
        std::mem::take(&mut self.told())
    }

    fn told(&self) -> MutexGuard<'_, Vec<Position>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MongoEvents {
    /// The mark. Two round trips, three at the first time; where the events that are there at first do not tell their
    /// age, and a position is empty, it takes the horizon.
    pub(super) async fn mark_of(&self, others: &Others) -> Result<Position, StoreError> {
        let _one = others.looking.lock().await;
        let mut session = self.session().await?;
        let Some(head) = self.highest_of_others(&mut session).await? else { return Ok(Position::START) };
        let is_new = others.ledger().is_new();
        let mut old = OldUpTo::Position(0);
        if is_new {
            old = self.old_up_to(&mut session, &head, others.horizon).await?;
        }
        self.seen.remember(&session);
        {
            let mut ledger = others.ledger();
            ledger.sees(head.position, Instant::now());
            if let OldUpTo::Position(old) = old {
                ledger.close(old, self.seen.time());
            }
            let mut heard = others.heard();
            if matches!(*heard, Heard::Nothing) {
                *heard = Heard::From(self.seen.time());
            }
        }
        loop {
            let mark = others.ledger().mark();
            let filled = self.filled_from(&mut session, mark, others).await?;
            self.seen.remember(&session);
            let now = Instant::now();
            let due = {
                let mut ledger = others.ledger();
                ledger.fill(filled);
                let floor = ledger.floor(now);
                if ledger.mark() < floor {
                    tracing::debug!(after = ledger.mark(), up_to = floor, "empty positions are closed");
                    ledger.close(floor, self.seen.time());
                    continue;
                }
                ledger.hold(head.position, now);
                ledger.held().map(|_| ledger.due(now))
            };
            match due {
                // Otherwise a view would count as caught up that has seen next to nothing of a long history.
                Some(due) if is_new && old == OldUpTo::Unknown => tokio::time::sleep(due).await,
                _ => break,
            }
        }
        Position::try_from(others.ledger().mark()).map_err(StoreError::permanent)
    }

    async fn highest_of_others(&self, session: &mut ClientSession) -> Result<Option<Head>, StoreError> {
        let position = &self.fields().position;
        let head = self.collection.find_one(doc! { position: { "$gt": 0 } }).sort(doc! { position: -1 });
        let head = head.projection(doc! { "_id": 1, position: 1 }).session(session);
        let Some(head) = head.await.map_err(|error| self.reading.failed(error))? else { return Ok(None) };
        let is_dated = is_dated(head.get("_id").ok().flatten());
        Ok(Some(Head { position: self.whole_position(&head)?, is_dated }))
    }

    /// The last of the positions that are filled without a gap. It ends early once all that is there is closed anyway.
    async fn filled_from(
        &self,
        session: &mut ClientSession,
        after: i64,
        others: &Others,
    ) -> Result<i64, StoreError> {
        let position = &self.fields().position;
        let (mut filled, mut limit) = (after, FEW);
        loop {
            let next = self.collection.find(doc! { position: { "$gt": filled } }).sort(doc! { position: 1 });
            let next = next.projection(doc! { "_id": 0, position: 1 }).limit(limit.into()).batch_size(limit);
            let mut next = next.session(&mut *session).await.map_err(|error| self.reading.failed(error))?;
            let mut count = 0;
            let mut next = next.stream(session);
            while let Some(event) = next.try_next().await.map_err(|error| self.reading.failed(error))? {
                let position = self.whole_position(&event)?;
                if position > filled + 1 {
                    return Ok(filled);
                }
                (filled, count) = (position, count + 1);
            }
            let closed = others.ledger().floor(Instant::now());
            if count < limit || filled < closed {
                return Ok(filled);
            }
            limit = MANY;
        }
    }

    fn whole_position(&self, event: &RawDocument) -> Result<i64, StoreError> {
        let position = parse::position_of(event, self.fields()).map_err(|error| self.bad_event(&error))?;
        Ok(position.as_i64())
    }
}

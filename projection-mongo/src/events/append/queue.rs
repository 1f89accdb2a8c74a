//! Appends of one process that wait for each other go into one transaction: its round trips, and the wait for the journal,
//! are paid once.
//!
//! One of them at a time leads: it takes what waits, and writes it. Where that does not succeed as a whole, each is
//! appended by itself, so that one which is refused costs the others time and nothing else.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use projection_core::{
    StoreError,
    append::{AppendError, Appended},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::{
    attempt::{Attempt, End},
    batch::Batch,
};
use crate::events::{MongoEvents, positions::Positions};

/// How many appends wait in the queue; more wait for a place in it.
const MOST_WAITING: usize = 1000;
/// How many appends, events and bytes a transaction has. A larger append goes by itself, and keeps nobody waiting.
const MOST_APPENDS: usize = 64;
const MOST_EVENTS: i64 = 1000;
const MOST_BYTES: usize = 4_000_000;

/// The appends of a store and its clones that wait.
#[derive(Debug)]
pub(in crate::events) struct Queue {
    waiting: Mutex<Waiting>,
    room: Arc<Semaphore>,
}

#[derive(Debug, Default)]
struct Waiting {
    appends: VecDeque<Append>,
    is_led: bool,
}

/// An append, and who waits for it.
#[derive(Debug)]
struct Append {
    batch: Batch,
    answer: oneshot::Sender<Answer>,
    _room: OwnedSemaphorePermit,
}

type Answer = Result<Appended, AppendError>;

impl Default for Queue {
    fn default() -> Self {
        Self { waiting: Mutex::default(), room: Arc::new(Semaphore::new(MOST_WAITING)) }
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What goes into the next transaction; `None`: there is nothing, and nobody leads any more.
    fn next(&self) -> Option<Vec<Append>> {
        let mut waiting = self.lock();
        let (mut some, mut events, mut bytes) = (Vec::new(), 0, 0);
        while let Some(next) = waiting.appends.front() {
            events += next.batch.count();
            bytes += next.batch.bytes();
            let is_full = some.len() == MOST_APPENDS || events > MOST_EVENTS || bytes > MOST_BYTES;
            if is_full && !some.is_empty() {
                break;
            }
            some.extend(waiting.appends.pop_front());
        }
        waiting.is_led = !some.is_empty();
        (!some.is_empty()).then_some(some)
    }
}

/// Whoever leads; should it be broken off, nobody waits for ever.
struct Leader {
    queue: Arc<Queue>,
    is_done: bool,
}

impl Drop for Leader {
    fn drop(&mut self) {
        if !self.is_done {
            *self.queue.lock() = Waiting::default();
        }
    }
}

impl MongoEvents {
    /// Appends, together with others that wait.
    pub(super) async fn append_queued(&self, positions: &Positions, batch: Batch) -> Answer {
        let broken_off = || StoreError::transient("the append was broken off");
        if batch.count() > MOST_EVENTS || batch.bytes() > MOST_BYTES {
            let (store, positions) = (self.clone(), positions.clone());
            let append = tokio::spawn(async move { store.append_alone(&positions, batch).await });
            return append.await.map_err(|_| broken_off())?;
        }
        let room = Arc::clone(&self.queue.room).acquire_owned().await.map_err(|_| broken_off())?;
        let (answer, answered) = oneshot::channel();
        let leads = {
            let mut waiting = self.queue.lock();
            waiting.appends.push_back(Append { batch, answer, _room: room });
            !std::mem::replace(&mut waiting.is_led, true)
        };
        if leads {
            tokio::spawn(self.clone().lead(positions.clone()));
        }
        answered.await.map_err(|_| broken_off())?
    }

    async fn lead(self, positions: Positions) {
        let mut leader = Leader { queue: Arc::clone(&self.queue), is_done: false };
        while let Some(some) = self.queue.next() {
            self.append_together(&positions, some).await;
        }
        leader.is_done = true;
    }

    async fn append_together(&self, positions: &Positions, some: Vec<Append>) {
        let (batches, waiting): (Vec<_>, Vec<_>) =
            some.into_iter().map(|append| (append.batch, (append.answer, append._room))).unzip();
        match self.try_together(positions, &batches).await {
            End::Done(results) => {
                for ((answer, _), result) in waiting.into_iter().zip(results) {
                    // Nobody may wait any more.
                    _ = answer.send(result);
                }
            }
            End::Unknown(error) => {
                for (answer, _) in waiting {
                    _ = answer.send(Err(error.clone().into()));
                }
            }
            End::Again(_) | End::Refused(_) => {
                for (batch, (answer, room)) in batches.into_iter().zip(waiting) {
                    let (store, positions) = (self.clone(), positions.clone());
                    tokio::spawn(async move {
                        _ = answer.send(store.append_alone(&positions, batch).await);
                        drop(room);
                    });
                }
            }
        }
    }

    async fn try_together(&self, positions: &Positions, batches: &[Batch]) -> End {
        let mut session = match self.session().await {
            Ok(session) => session,
            Err(error) => return End::Again(error),
        };
        let mut reserved = None;
        let end = Attempt { store: self, positions, batches }.run(&mut session, &mut reserved).await;
        if let Some(reserved) = reserved {
            positions.release(&reserved).await;
        }
        end
    }
}

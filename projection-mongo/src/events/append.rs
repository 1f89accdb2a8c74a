//! Appending: in a transaction of ours that is tried until its outcome is known, or in one of the caller.

mod attempt;
mod batch;
mod json;
mod place;
mod queue;
mod theirs;
mod write;

use std::time::{Duration, Instant};

use async_trait::async_trait;
use bson::doc;
use projection_core::{
    ErrorKind, EventStore as _, Position, StoreError, StreamId,
    append::{AppendError, AppendEvents, Appended, StreamAppend},
    store::Window,
};

pub(super) use self::queue::Queue;
use self::{
    attempt::{Attempt, End},
    batch::Batch,
};
use super::{
    MongoEvents, MongoPage,
    positions::{Positions, Reserved},
};

/// How much longer than a dead appender may be in its way an append is tried again.
const PATIENCE: Duration = Duration::from_secs(5);
/// When it looks whether a dead one is.
const SUSPICION: Duration = Duration::from_secs(1);
/// How long one reservation is used for that: it holds back what others have appended.
const HELD: Duration = Duration::from_millis(500);
/// Before the first try again; twice as long before each other, up to the second.
const PAUSE: Duration = Duration::from_millis(4);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

#[async_trait]
impl AppendEvents for MongoEvents {
    /// In a transaction of the store's own, which takes in what other tasks append through this store and its clones at
    /// the same time. Six round trips, whatever number of streams. It is tried again, for fifteen seconds at most, when
    /// another process is in its way or the connection breaks. Once it has begun it goes on to its end, also if this future
    /// is dropped.
    ///
    /// What is expected of a stream to which nothing is appended holds when the transaction begins, not when it commits.
    async fn append_all(&self, appends: Vec<StreamAppend>) -> Result<Appended, AppendError> {
        let positions = self.positions_to_append()?;
        let batch = Batch::encode(self, appends)?;
        if batch.count() == 0 {
            let batches = [batch];
            return one(self.place(&mut self.session().await?, &batches).await?.results(self, None));
        }
        self.append_queued(positions, batch).await
    }

    async fn read_stream(&self, stream: &StreamId, after: u64, limit: usize) -> Result<MongoPage, StoreError> {
        let fields = self.fields();
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        let query = doc! { &fields.stream: stream.as_str(), &fields.stream_version: { "$gt": after } };
        let all = Window { after: Position::START, up_to: Position::START };
        self.page(query, &fields.stream_version, all, limit).await
    }
}

impl MongoEvents {
    /// What gives out positions, where this store can append.
    fn positions_to_append(&self) -> Result<&Positions, StoreError> {
        let refused = |why: &str| self.appending.wrong(ErrorKind::Permanent, why);
        match (&self.positions, &self.refusal) {
            (Some(positions), None) => Ok(positions),
            (_, Some(why)) => Err(refused(why)),
            (None, None) => Err(refused("it was opened for reading")),
        }
    }

    /// Appends in a transaction for itself, again and again until its outcome is known.
    async fn append_alone(&self, positions: &Positions, batch: Batch) -> Result<Appended, AppendError> {
        let since = Instant::now();
        let patience = self.options.commit_within() + PATIENCE;
        let mut session = self.session().await?;
        let attempt = Attempt { store: self, positions, batches: &[batch] };
        let mut reserved: Option<Reserved> = None;
        let mut pause = PAUSE;
        loop {
            if let Some(old) = reserved.take_if(|reserved| reserved.made.elapsed() > HELD) {
                positions.release(&old).await;
            }
            let answer = match attempt.run(&mut session, &mut reserved).await {
                End::Done(results) => Some(one(results)),
                End::Again(_) if since.elapsed() < patience => None,
                End::Again(error) | End::Unknown(error) => Some(Err(error.into())),
                End::Refused(error) => Some(Err(error)),
            };
            if let Some(answer) = answer {
                if let Some(reserved) = reserved {
                    positions.release(&reserved).await;
                }
                return answer;
            }
            if since.elapsed() > SUSPICION {
                // Whoever reads the mark ends appenders that are dead; perhaps nobody does.
                _ = self.mark().await;
            }
            tokio::time::sleep(pause.mul_f64(jitter())).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }
}

/// The result of an append that was made by itself.
fn one(results: Vec<Result<Appended, AppendError>>) -> Result<Appended, AppendError> {
    let nothing = || Err(StoreError::permanent("an append has no result").into());
    results.into_iter().next().unwrap_or_else(nothing)
}

/// Between a half and one, so that those who are in each other's way part.
fn jitter() -> f64 {
    let random = u32::try_from(uuid::Uuid::new_v4().as_u128() >> 96).unwrap_or_default();
    0.5 + 0.5 * f64::from(random) / f64::from(u32::MAX)
}

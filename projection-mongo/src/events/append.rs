//! Appending: in a transaction of its own that is tried until its outcome is known, or in one of the caller.

mod attempt;
mod batch;
mod json;
mod place;
mod theirs;
mod write;

use std::time::{Duration, Instant};

use async_trait::async_trait;
use bson::doc;
use projection_core::{
    ErrorKind, Position, StoreError, StreamId,
    append::{AppendError, AppendEvents, Appended, StreamAppend},
    store::Window,
};

use self::{
    attempt::{Attempt, End},
    batch::Batch,
};
use super::{
    MongoEvents, MongoPage,
    positions::{Positions, Reserved},
};

/// How long an append is tried again when others are in its way, or the server is away.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long one reservation is used for that: it holds back what others have appended.
const HELD: Duration = Duration::from_millis(500);
/// Before the first try again; twice as long before each other, up to the second.
const PAUSE: Duration = Duration::from_millis(4);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

#[async_trait]
impl AppendEvents for MongoEvents {
    /// In a transaction of its own. It is tried again, for ten seconds at most, when another is in its way or the
    /// connection breaks. Once it has begun it goes on to its end, also if this future is dropped. Six round trips, and
    /// one more for each further stream.
    ///
    /// What is expected of a stream to which nothing is appended holds when the transaction begins, not when it commits.
    async fn append_all(&self, appends: Vec<StreamAppend>) -> Result<Appended, AppendError> {
        let positions = self.positions_to_append()?.clone();
        let batch = Batch::encode(self, appends)?;
        let store = self.clone();
        let append = tokio::spawn(async move { store.append_batch(&positions, &batch).await });
        append.await.map_err(|error| StoreError::transient(format!("the append was broken off: {error}")))?
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

    async fn append_batch(&self, positions: &Positions, batch: &Batch) -> Result<Appended, AppendError> {
        let since = Instant::now();
        let mut session = self.session().await?;
        if batch.count() == 0 {
            let placed = self.place(&mut session, batch).await?;
            return placed.appended(self, None);
        }
        let attempt = Attempt { store: self, positions, batch };
        let mut reserved: Option<Reserved> = None;
        let mut pause = PAUSE;
        loop {
            if let Some(old) = reserved.take_if(|reserved| reserved.made.elapsed() > HELD) {
                positions.release(&old).await;
            }
            let error = match attempt.run(&mut session, &mut reserved).await {
                End::Appended(appended) => return Ok(appended),
                End::Again(_) if since.elapsed() < PATIENCE => None,
                End::Again(error) => Some(AppendError::Store(error)),
                End::Refused(error) => Some(error),
            };
            if let Some(error) = error {
                if let Some(reserved) = reserved {
                    positions.release(&reserved).await;
                }
                return Err(error);
            }
            tokio::time::sleep(pause.mul_f64(jitter())).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }
}

/// Between a half and one, so that those who are in each other's way part.
fn jitter() -> f64 {
    let random = u32::try_from(uuid::Uuid::new_v4().as_u128() >> 96).unwrap_or_default();
    0.5 + 0.5 * f64::from(random) / f64::from(u32::MAX)
}

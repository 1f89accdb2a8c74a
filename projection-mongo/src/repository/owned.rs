//! Writes a batch as the owner: each chunk is a transaction that also writes the owner's fence, the last one with the
//! checkpoint (spec: B11, B18).
//!
//! A transaction reads where its instances stand and writes by `_id` alone, which is the cheapest correct lock: what another
//! has written since makes it fail as a whole. What cannot be written is taken out, and the rest written without it
//! (spec: B10).

mod attempt;
mod chunk;
mod session;

use std::time::Duration;

use projection_core::{
    ErrorKind, Key, StoreError,
    projection::ViewState,
    store::{ChangeOutcome, Checkpoint, CheckpointOutcome, Commit, Committed, Fence},
};

pub(crate) use self::session::Owner;
use self::{
    attempt::{Attempt, End},
    chunk::{Chunks, Prepared},
};
use super::{MongoRepository, outcomes::Outcomes};
use crate::bulk::WriteError;

/// How often a transaction that another was in the way of is begun again.
const TRIES: u32 = 4;
/// How many changes are taken out of a chunk, one after another, before the rest is left for another commit.
const MOST_TAKEN_OUT: usize = 20;
/// Before the first try again; twice as long before each other.
const PAUSE: Duration = Duration::from_millis(5);

/// A commit in progress.
struct Run<'a, S, Id> {
    repository: &'a MongoRepository<S, Id>,
    owner: &'a Owner,
    commit: &'a Commit<'a, S, Id>,
    fence: &'a Fence,
    outcomes: Outcomes,
    checkpoint: CheckpointOutcome,
}

/// Another owner has the fence.
struct Fenced;

/// Writes a batch as the owner that `fence` names.
pub(super) async fn write<S: ViewState, Id: Key>(
    repository: &MongoRepository<S, Id>,
    owner: &Owner,
    commit: &Commit<'_, S, Id>,
    fence: &Fence,
) -> Committed {
    let (outcomes, checkpoint) = (Outcomes::none(commit.changes.len()), CheckpointOutcome::NotJoined);
    let mut run = Run { repository, owner, commit, fence, outcomes, checkpoint };
    if let Err(Fenced) = run.write().await {
        run.outcomes.rest_lost();
        run.checkpoint = CheckpointOutcome::Fenced;
    }
    Committed { outcomes: run.outcomes.finish(), checkpoint: run.checkpoint }
}

impl<S: ViewState, Id: Key> Run<'_, S, Id> {
    async fn write(&mut self) -> Result<(), Fenced> {
        let mut session = match self.owner.session(self.repository, self.fence).await {
            Ok(Some(session)) => session,
            Ok(None) => return Err(Fenced),
            Err(error) => {
                (0..self.commit.changes.len()).for_each(|place| self.outcomes.not_written(place, &error));
                return Ok(());
            }
        };
        let mut places: Vec<usize> = (0..self.commit.changes.len()).collect();
        loop {
            let tried = places.len();
            self.write_some(&mut session, places).await?;
            // A unique value may have moved from one instance of the batch to another.
            places = self.outcomes.refused_by_index();
            if places.is_empty() || places.len() >= tried {
                break;
            }
        }
        self.owner.keep(session).await;
        Ok(())
    }

    async fn write_some(&mut self, session: &mut session::Session, places: Vec<usize>) -> Result<(), Fenced> {
        let mut chunks = Chunks::new(self.repository, self.commit.changes, places);
        while let Some((chunk, is_last)) = chunks.next(&mut self.outcomes) {
            self.write_chunk(session, chunk, is_last).await?;
        }
        Ok(())
    }

    async fn write_chunk(
        &mut self,
        session: &mut session::Session,
        mut chunk: Vec<Prepared>,
        is_last: bool,
    ) -> Result<(), Fenced> {
        let (mut look_at_all, mut tries, mut taken_out) = (false, 1, 0);
        loop {
            let checkpoint = self.checkpoint_with(&chunk, is_last);
            let attempt = Attempt { run: self, chunk: &chunk, checkpoint, look_at_all };
            match attempt.run(session).await {
                End::Committed { lost, joined } => {
                    for change in &chunk {
                        self.outcomes.set(change.place, ChangeOutcome::Written { bytes: change.bytes() });
                    }
                    lost.into_iter().for_each(|place| self.outcomes.set(place, ChangeOutcome::Lost));
                    if joined {
                        self.checkpoint = CheckpointOutcome::Stored;
                    }
                    return Ok(());
                }
                End::Fenced => return Err(Fenced),
                // Something is there where nothing was expected: where does each stand?
                End::Refused { error, .. } if error.on_id && !look_at_all => look_at_all = true,
                End::Refused { place, error } => {
                    self.refused(place, &error);
                    chunk.retain(|change| change.place != place);
                    taken_out += 1;
                    if chunk.is_empty() {
                        return Ok(());
                    }
                    if taken_out >= MOST_TAKEN_OUT {
                        let error = StoreError::transient("too many others of its transaction were refused");
                        chunk.iter().for_each(|change| self.outcomes.not_written(change.place, &error));
                        return Ok(());
                    }
                }
                End::InTheWay(_) if tries < TRIES => {
                    tokio::time::sleep(PAUSE * 2_u32.pow(tries)).await;
                    tries += 1;
                }
                End::InTheWay(error) | End::Undone(error) => {
                    chunk.iter().for_each(|change| self.outcomes.not_written(change.place, &error));
                    return Ok(());
                }
                End::Unknown { error, joined } => {
                    for change in &chunk {
                        self.outcomes.set(change.place, ChangeOutcome::Unknown(error.clone()));
                    }
                    if joined {
                        self.checkpoint = CheckpointOutcome::Unknown(error);
                    }
                    return Ok(());
                }
            }
        }
    }

    /// The checkpoint, if everything is written with this chunk.
    fn checkpoint_with(&self, chunk: &[Prepared], is_last: bool) -> Option<&Checkpoint> {
        let all = self.outcomes.written() + chunk.len() == self.commit.changes.len();
        self.commit.checkpoint.filter(|_| is_last && all)
    }

    fn refused(&mut self, place: usize, error: &WriteError) {
        let outcome = match error.kind() {
            ErrorKind::Conflict => ChangeOutcome::Lost,
            _ => ChangeOutcome::Rejected(error.error(&self.repository.writing)),
        };
        self.outcomes.set(place, outcome);
    }
}

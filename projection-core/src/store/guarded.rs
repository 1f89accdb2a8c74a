//! Repositories that keep the position of the last applied event with each state: effectively once (spec: B11).

use async_trait::async_trait;

use super::{Checkpoint, Fence};
use crate::{EventRef, Position, StoreError};

/// A repository that stores, in the same write as a state, the position of the last event applied to it, and that
/// answers for each instance by itself.
#[async_trait]
pub trait GuardedRepository<S, Id>: Send + Sync
where
    S: Send + Sync + 'static,
    Id: Send + Sync + 'static,
{
    /// What is stored for those of `ids` that exist or have a tombstone, each with its place in `ids`, in any order.
    /// Usually one round trip; with empty `ids`, no I/O.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or holds a state that does not fit `S`.
    async fn load(&self, ids: &[Id]) -> Result<Vec<(usize, Stored<S>)>, StoreError>;

    /// Whether nothing is stored, neither states nor tombstones: then a replay need not read before it writes. `false`
    /// where that is not known, which is always right. At most a round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// Writes a batch. Splits it as the store's limits ask (spec: B30). Never fails as a whole: each change has an
    /// outcome of its own, so that an error never hides what is known (spec: B10).
    async fn commit(&self, commit: Commit<'_, S, Id>) -> Committed;

    /// A checkpoint at `passed` is stored: tombstones at or before it are no longer needed (spec: B18).
    ///
    /// # Errors
    ///
    /// When the store cannot be written; harmless, since a tombstone that stays does no harm.
    async fn checkpoint_passed(&self, passed: Position) -> Result<(), StoreError>;
}

/// What is stored for one instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored<S> {
    /// The state; `None` is a tombstone: deleted, with its position kept.
    pub state: Option<S>,
    /// The position of the last event applied.
    pub position: Position,
    /// Events without a position that were applied, the oldest first (spec: P20).
    pub offered: Vec<EventRef>,
    /// The encoded size in bytes.
    pub bytes: usize,
}

/// A batch to write: plain data.
#[derive(Debug)]
pub struct Commit<'a, S, Id> {
    /// At most one change for each instance (spec: B31).
    pub changes: &'a [Change<'a, S, Id>],
    /// Who writes. A store that can, writes it in the same transaction; `None` where there is one process.
    pub fence: Option<&'a Fence>,
    /// The checkpoint to store with the last chunk, by a store that can do both in one transaction. It must not be
    /// stored unless every change is [`Written`](ChangeOutcome::Written).
    pub checkpoint: Option<&'a Checkpoint>,
}

/// The new state of one instance.
#[derive(Debug)]
pub struct Change<'a, S, Id> {
    /// Which instance.
    pub id: &'a Id,
    /// Its state; `None` deletes it, leaving a tombstone at `position`.
    pub state: Option<&'a S>,
    /// The position of the last event applied.
    pub position: Position,
    /// Events without a position that were applied, the oldest first.
    pub offered: &'a [EventRef],
    /// What the change was computed from.
    pub expected: Expected,
}

/// What must be stored for a change to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Nothing: the instance is inserted. (A tombstone counts as [`At`](Self::At) its position.)
    Absent,
    /// A state or tombstone at this position. Never inserts where there is neither (spec: B18).
    At(Position),
}

/// What became of one change.
#[derive(Debug)]
pub enum ChangeOutcome {
    /// It is stored.
    Written {
        /// Its encoded size in bytes.
        bytes: usize,
    },
    /// Something else than expected was stored: another writer was first. Nothing was written.
    Lost,
    /// It may or may not be stored, such as after a broken connection. Loading again tells.
    Unknown(StoreError),
    /// It is not stored, and would not be if tried again: too large, refused by a unique index.
    Rejected(StoreError),
}

/// What became of the checkpoint in a [`Commit`].
#[derive(Debug)]
pub enum CheckpointOutcome {
    /// Stored, in the same transaction as the last changes.
    Stored,
    /// Not a part of this write: to be stored by [`CheckpointStorage`](super::CheckpointStorage) afterwards.
    NotJoined,
    /// Refused: another owner has the fence.
    Fenced,
    /// It may or may not be stored.
    Unknown(StoreError),
}

/// What became of a [`Commit`].
#[derive(Debug)]
pub struct Committed {
    /// One outcome for each change, in their order.
    pub outcomes: Vec<ChangeOutcome>,
    /// What became of the checkpoint.
    pub checkpoint: CheckpointOutcome,
}

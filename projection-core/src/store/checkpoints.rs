//! Checkpoints: how far a projection has come, and what it passed over.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{EventRef, Position, StoreError};

/// A part of a projection's instances that has a checkpoint of its own. There is one, 0, until there are lanes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Partition(pub u16);

/// Whose checkpoint it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CheckpointKey {
    /// The projection's name.
    pub projection: String,
    /// The projection's version.
    pub version: u32,
    /// The partition.
    pub partition: Partition,
}

/// Who may write: a later epoch fences off an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fence {
    /// The process that owns the projection.
    pub owner: String,
    /// Raised at each change of owner.
    pub epoch: i64,
    /// The projection's version (spec: B16).
    pub version: u32,
}

/// A proof: every event up to `position` is applied, irrelevant, or recorded as skipped (spec: B13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Whose it is.
    pub key: CheckpointKey,
    /// How far.
    pub position: Position,
    /// From where: events at or before it were never read. [`Position::START`] for a view of the whole history.
    pub start: Position,
    /// Whether a replay has completed: the next start calls no replay hook (spec: P22).
    pub caught_up: bool,
    /// The event names, with aliases, that the handlers took when it was stored; sorted (spec: B16).
    pub handled: Vec<String>,
    /// Who stored it, where owners are told apart.
    pub fence: Option<Fence>,
}

/// An event that was passed over on purpose, and why (spec: B14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedEvent {
    /// Whose.
    pub key: CheckpointKey,
    /// Where the event stands.
    pub position: Position,
    /// Which event.
    pub event: EventRef,
    /// The name it is stored under.
    pub name: String,
    /// The instance it was not applied to, as text; `None` where it could not be decoded, so has no instance.
    pub instance: Option<String>,
    /// Why: the decoding error, or the panic's message.
    pub cause: String,
}

/// An instance that takes no events until it is released: one of them could not be applied (spec: B14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParkedInstance {
    /// Whose.
    pub key: CheckpointKey,
    /// The instance, as text.
    pub instance: String,
    /// The first event that was not applied to it; later ones are passed over, too.
    pub from: Position,
    /// Which event that is.
    pub event: EventRef,
    /// The name it is stored under.
    pub name: String,
    /// Why: the panic's message.
    pub cause: String,
}

/// Keeps checkpoints, and the records of what they pass over. Used when views and checkpoints do not share a home.
#[async_trait]
pub trait CheckpointStorage: Send + Sync {
    /// All checkpoints of a projection: every version, every partition. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn load(&self, projection: &str) -> Result<Vec<Checkpoint>, StoreError>;

    /// Stores checkpoints, each over the one with the same key. Durable when it returns. One round trip, and one more for
    /// each that has a fence, where the store must look it up.
    ///
    /// # Errors
    ///
    /// When the store cannot be written; [`Conflict`](crate::ErrorKind::Conflict) for a checkpoint whose fence is of a
    /// former owner.
    async fn save(&self, checkpoints: &[Checkpoint]) -> Result<(), StoreError>;

    /// Removes the checkpoints of one version and the records of what it skipped and parked: its next start is from the
    /// beginning. For use after its view was emptied.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    async fn remove(&self, projection: &str, version: u32) -> Result<(), StoreError>;

    /// Records events as passed over; recording one again changes nothing. Durable when it returns. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    async fn record_skipped(&self, skipped: &[SkippedEvent]) -> Result<(), StoreError>;

    /// Parks instances, each over the record of the same instance. Durable when it returns. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    async fn park(&self, parked: &[ParkedInstance]) -> Result<(), StoreError>;

    /// The parked instances of a projection, all versions, in position order. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn parked(&self, projection: &str) -> Result<Vec<ParkedInstance>, StoreError>;

    /// Removes the record of a parked instance; harmless when there is none. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    async fn unpark(&self, key: &CheckpointKey, instance: &str) -> Result<(), StoreError>;

    /// What a projection has passed over, all versions, in position order.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn skipped(&self, projection: &str) -> Result<Vec<SkippedEvent>, StoreError>;
}

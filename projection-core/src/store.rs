//! What the runtime asks of a database. Users implement [`ViewStateRepository`]; the store crates implement all.

mod checkpoints;
mod events;
mod guarded;
mod leases;
mod refused;
mod versions;
mod views;

pub use checkpoints::{
    Checkpoint, CheckpointKey, CheckpointStorage, Fence, ParkedInstance, Partition, SkippedEvent,
};
pub use events::{EventPage, EventStore, InvalidSourceName, RawEvent, SourceName, WakeUp, Window};
pub use guarded::{
    Change, ChangeOutcome, CheckpointOutcome, Commit, Committed, Expected, GuardedRepository, Stored,
};
pub use leases::{LeaseAnswer, LeaseRequest, LeaseStorage, Ownership};
pub use refused::{RESERVED_FIELD, RefusedState};
pub use versions::{Preparation, ViewVersions};
pub use views::{SharedRepository, ViewStateRepository, ViewStore};

//! Views that somebody writes by hand, and the hooks by which they can batch a replay.

use async_trait::async_trait;

use crate::{EventMetadata, EventSet, MaterializedViewOptions, StoreError};

/// A view written by hand, for what a [`Projection`](crate::Projection) cannot say: a state in a home of its own,
/// updated event by event.
///
/// It is called once for each event of the history (spec: P7) and is **at least once**: after a crash or a failure
/// events since the last checkpoint come again. A view that offers [`ReplayAware`] can buffer a replay by itself.
#[async_trait]
pub trait MaterializedView: Send + Sync + 'static {
    /// The events it takes.
    type Event: EventSet;

    /// Names its checkpoint.
    fn name(&self) -> &str;

    /// Raise it to have the history replayed anew (spec: B16).
    fn version(&self) -> u32 {
        1
    }

    /// How it is fed. A batch is what lies between two checkpoints; no state is kept for it.
    fn options(&self) -> MaterializedViewOptions {
        MaterializedViewOptions::default()
    }

    /// Applies one event. What it changed must be durable when it returns, unless a replay is under way and the view
    /// buffers it.
    ///
    /// # Errors
    ///
    /// When the event could not be applied. A [`Poison`](crate::ErrorKind::Poison) error is treated as
    /// [`on_poison`](crate::MaterializedViewOptions::on_poison) says; a transient one as the retry strategy says.
    async fn update(&self, event: &Self::Event, meta: &EventMetadata) -> Result<(), StoreError>;

    /// The view's hooks, where it has them.
    fn replay_aware(&self) -> Option<&dyn ReplayAware> {
        None
    }
}

/// Is told where a replay begins and ends, so that a view can buffer it.
///
/// Between started and completed no checkpoint is stored, since the view may hold what a checkpoint would claim;
/// unless it also offers [`flush`](Self::flush).
#[async_trait]
pub trait ReplayAware: Send + Sync {
    /// A replay begins: start to buffer.
    fn replay_started(&self);

    /// The history was applied: write what is buffered. Nothing is recorded as caught up before it returns `Ok`.
    ///
    /// # Errors
    ///
    /// When it could not be written: the replay fails, and nothing is recorded.
    async fn replay_completed(&self) -> Result<(), StoreError>;

    /// The replay was stopped or failed: drop what is buffered.
    fn replay_abandoned(&self);

    /// The means to write what is buffered in between: checkpoints are then stored during the replay.
    fn flush(&self) -> Option<&dyn FlushDuringReplay> {
        None
    }
}

/// Writes, in the middle of a replay, what a view has buffered.
#[async_trait]
pub trait FlushDuringReplay: Send + Sync {
    /// Writes what is buffered; a checkpoint that claims it follows.
    ///
    /// # Errors
    ///
    /// When it could not be written: the replay fails.
    async fn flush(&self) -> Result<(), StoreError>;
}

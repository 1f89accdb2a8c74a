//! Progress: how far a projection is, and where its time goes (spec: B40).

use std::{sync::Arc, time::Duration};

use crate::Position;

mod recorder;

pub(crate) use recorder::ProgressRecorder;

/// What a projection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Made, and not started yet.
    Starting,
    /// Applying the history.
    Replaying,
    /// Applying what arrived during the replay.
    Draining,
    /// Up to date, and applying what comes.
    Live,
    /// Another process owns it; this one takes over when that one ends.
    Standby,
    /// Ended by an error that may pass; it is started again by itself, after a delay.
    Retrying,
    /// Stopped or paused by a call; it can be started again.
    Stopped,
    /// Ended by an error; it can be started again.
    Failed,
}

/// How far a projection is. A value of the stream that
/// [`ProjectionRuntime::progress`](crate::ProjectionRuntime::progress) gives; within a phase it never goes backwards.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The projection's name.
    pub projection: Arc<str>,
    /// What it is doing.
    pub phase: Phase,
    /// The view was begun after this position: what stands before is not in it.
    pub start: Position,
    /// Every event up to here is in the stored view, irrelevant to it, or recorded as skipped.
    pub position: Position,
    /// The store's mark when it was last asked: up to where events can be read.
    pub head: Position,
    /// Instances that are parked: they take no events until they are released.
    pub parked: usize,
    /// Events flushed, since the start of the process.
    pub events_applied: u64,
    /// Events read that changed no instance, since the start of the process: no key, or passed over.
    pub events_skipped: u64,
    /// Instances written, each once a batch, since the start of the process.
    pub instances_written: u64,
    /// Batches flushed, since the start of the process.
    pub batches: u64,
    /// Events read a second, over this phase.
    pub events_per_second: f64,
    /// How long until the head is reached, at this phase's pace; `None` until that can be told.
    pub time_left: Option<Duration>,
    /// Where the time went, since the start of the process.
    pub spent: TimeSpent,
}

impl Progress {
    /// How many positions the view is behind the head.
    #[must_use]
    pub fn lag(&self) -> u64 {
        self.head.distance_from(self.position)
    }
}

/// Where the time of a projection went. Reading and decoding go on beside the rest, so the sum may exceed the clock's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeSpent {
    /// Waiting for the event store.
    pub read: Duration,
    /// Decoding events.
    pub decode: Duration,
    /// Calling handlers.
    pub fold: Duration,
    /// Waiting for the view's store.
    pub flush: Duration,
}

//! Whose engine it is: the name and version under which checkpoints are kept and errors are told.

use std::collections::BTreeSet;

use crate::{
    FeedError, Position, StoreError,
    engine::decode::DecodedEvent,
    store::{Checkpoint, CheckpointKey, ParkedInstance, Partition, SkippedEvent},
};

/// What names a view, in checkpoints, records and errors.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub projection: String,
    pub version: u32,
    /// The event names handled, with aliases.
    pub handled: BTreeSet<String>,
}

impl Identity {
    pub(crate) fn key(&self) -> CheckpointKey {
        CheckpointKey {
            projection: self.projection.clone(),
            version: self.version,
            partition: Partition::default(),
        }
    }

    /// A checkpoint of this view, by nobody in particular.
    pub(crate) fn checkpoint(&self, position: Position, start: Position, caught_up: bool) -> Checkpoint {
        Checkpoint {
            key: self.key(),
            position,
            start,
            caught_up,
            handled: self.handled.iter().cloned().collect(),
            fence: None,
        }
    }

    pub(crate) fn skipped(&self, event: &DecodedEvent, instance: Option<String>, cause: &str) -> SkippedEvent {
        SkippedEvent {
            key: self.key(),
            position: event.meta.position(),
            event: event.meta.event().clone(),
            name: event.meta.name().to_owned(),
            instance,
            cause: cause.to_owned(),
        }
    }

    pub(crate) fn parked(&self, event: &DecodedEvent, instance: String, cause: String) -> ParkedInstance {
        ParkedInstance {
            key: self.key(),
            instance,
            from: event.meta.position(),
            event: event.meta.event().clone(),
            name: event.meta.name().to_owned(),
            cause,
        }
    }

    pub(crate) fn poison(&self, event: &DecodedEvent, instance: Option<String>, source: StoreError) -> FeedError {
        FeedError::Poison {
            projection: self.projection.clone(),
            instance,
            event: event.meta.event().clone(),
            name: event.meta.name().to_owned(),
            position: event.meta.position(),
            source,
        }
    }

    pub(crate) fn write_failed(&self, at: FailedWrite<'_>, source: StoreError) -> FeedError {
        FeedError::Write {
            projection: self.projection.clone(),
            instance: at.instance,
            event: at.event.map(|event| event.meta.event().clone()),
            position: at.event.map_or(Position::START, |event| event.meta.position()),
            tries: at.tries,
            source,
        }
    }

    pub(crate) fn storage_failed(&self, what: &'static str, source: StoreError) -> FeedError {
        FeedError::Storage { projection: self.projection.clone(), what, source }
    }
}

/// Which write failed.
pub(crate) struct FailedWrite<'a> {
    pub instance: Option<String>,
    /// The last event in it.
    pub event: Option<&'a DecodedEvent>,
    pub tries: usize,
}

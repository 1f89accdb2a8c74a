//! Checkpoints, skipped events and parked instances as documents. Their `_id` says what they are of, so that one that is
//! written twice is one.

use projection_core::{
    EventRef, Position,
    store::{Checkpoint, CheckpointKey, Fence, ParkedInstance, Partition, SkippedEvent},
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CheckpointDocument {
    #[serde(rename = "_id")]
    pub(super) id: String,
    pub(super) projection: String,
    pub(super) version: u32,
    pub(super) partition: Partition,
    position: Position,
    start: Position,
    caught_up: bool,
    handled: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fence: Option<Fence>,
}

impl From<&Checkpoint> for CheckpointDocument {
    fn from(checkpoint: &Checkpoint) -> Self {
        let CheckpointKey { projection, version, partition } = checkpoint.key.clone();
        Self {
            id: id_of(&checkpoint.key),
            projection,
            version,
            partition,
            position: checkpoint.position,
            start: checkpoint.start,
            caught_up: checkpoint.caught_up,
            handled: checkpoint.handled.clone(),
            fence: checkpoint.fence.clone(),
        }
    }
}

impl From<CheckpointDocument> for Checkpoint {
    fn from(document: CheckpointDocument) -> Self {
        let CheckpointDocument { projection, version, partition, .. } = document;
        Self {
            key: CheckpointKey { projection, version, partition },
            position: document.position,
            start: document.start,
            caught_up: document.caught_up,
            handled: document.handled,
            fence: document.fence,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SkippedDocument {
    #[serde(rename = "_id")]
    pub(super) id: String,
    projection: String,
    pub(super) version: u32,
    partition: Partition,
    pub(super) position: Position,
    event: EventRef,
    name: String,
    instance: Option<String>,
    cause: String,
}

impl From<&SkippedEvent> for SkippedDocument {
    fn from(skipped: &SkippedEvent) -> Self {
        let CheckpointKey { projection, version, partition } = skipped.key.clone();
        let SkippedEvent { event, instance, .. } = skipped;
        // Quoted, so that no two records have one `_id`.
        let id =
            format!("{}/{}/{:?}/{:?}/{instance:?}", id_of(&skipped.key), skipped.position, event.source, event.id);
        Self {
            id,
            projection,
            version,
            partition,
            position: skipped.position,
            event: event.clone(),
            name: skipped.name.clone(),
            instance: instance.clone(),
            cause: skipped.cause.clone(),
        }
    }
}

impl From<SkippedDocument> for SkippedEvent {
    fn from(document: SkippedDocument) -> Self {
        let SkippedDocument { projection, version, partition, .. } = document;
        Self {
            key: CheckpointKey { projection, version, partition },
            position: document.position,
            event: document.event,
            name: document.name,
            instance: document.instance,
            cause: document.cause,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ParkedDocument {
    #[serde(rename = "_id")]
    pub(super) id: String,
    projection: String,
    pub(super) version: u32,
    partition: Partition,
    instance: String,
    pub(super) from: Position,
    event: EventRef,
    name: String,
    cause: String,
}

impl From<&ParkedInstance> for ParkedDocument {
    fn from(parked: &ParkedInstance) -> Self {
        let CheckpointKey { projection, version, partition } = parked.key.clone();
        Self {
            id: parked_id(&parked.key, &parked.instance),
            projection,
            version,
            partition,
            instance: parked.instance.clone(),
            from: parked.from,
            event: parked.event.clone(),
            name: parked.name.clone(),
            cause: parked.cause.clone(),
        }
    }
}

impl From<ParkedDocument> for ParkedInstance {
    fn from(document: ParkedDocument) -> Self {
        let ParkedDocument { projection, version, partition, .. } = document;
        Self {
            key: CheckpointKey { projection, version, partition },
            instance: document.instance,
            from: document.from,
            event: document.event,
            name: document.name,
            cause: document.cause,
        }
    }
}

/// One record for each parked instance.
pub(super) fn parked_id(key: &CheckpointKey, instance: &str) -> String {
    format!("{}/{instance}", id_of(key))
}

/// `order-status.v1.p0`: no other key has it, since the last two parts are numbers.
fn id_of(key: &CheckpointKey) -> String {
    format!("{}.v{}.p{}", key.projection, key.version, key.partition.0)
}

//! Checkpoint storage.

use projection_core::{
    CheckpointStorage, EventRef, Position,
    store::{Checkpoint, CheckpointKey, Fence, ParkedInstance, Partition, SkippedEvent},
};

fn key(projection: &str, version: u32, partition: u16) -> CheckpointKey {
    CheckpointKey { projection: projection.to_owned(), version, partition: Partition(partition) }
}

/// A checkpoint at a position.
#[must_use]
pub fn checkpoint(projection: &str, version: u32, partition: u16, position: u32) -> Checkpoint {
    Checkpoint {
        key: key(projection, version, partition),
        position: Position::from(position),
        start: Position::START,
        caught_up: false,
        handled: vec!["A".to_owned(), "B".to_owned()],
        fence: None,
    }
}

fn skipped(projection: &str, version: u32, position: u32, instance: Option<&str>) -> SkippedEvent {
    SkippedEvent {
        key: key(projection, version, 0),
        position: Position::from(position),
        event: EventRef::new("shop", position.to_string()),
        name: "OrderPlaced".to_owned(),
        instance: instance.map(str::to_owned),
        cause: "because".to_owned(),
    }
}

fn parked(projection: &str, version: u32, instance: &str, from: u32) -> ParkedInstance {
    ParkedInstance {
        key: key(projection, version, 0),
        instance: instance.to_owned(),
        from: Position::from(from),
        event: EventRef::new("shop", from.to_string()),
        name: "OrderPlaced".to_owned(),
        cause: "because".to_owned(),
    }
}

/// What is saved is loaded: all versions and partitions of a projection, and of no other.
pub async fn what_is_saved_is_loaded(storage: &impl CheckpointStorage) {
    assert!(storage.load("orders").await.unwrap().is_empty());
    let mut full = checkpoint("orders", 2, 0, 9);
    full.start = Position::from(3);
    full.caught_up = true;
    full.fence = Some(Fence { owner: "me".to_owned(), epoch: 4, version: 2 });
    let all = [checkpoint("orders", 1, 0, 5), checkpoint("orders", 1, 1, 6), full];
    storage.save(&all).await.unwrap();
    storage.save(&[checkpoint("orders.v1", 1, 0, 1), checkpoint("order", 1, 0, 1)]).await.unwrap();
    storage.save(&[]).await.unwrap();
    let mut found = storage.load("orders").await.unwrap();
    found.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(found, all);
}

/// A checkpoint is stored over the one with the same key.
pub async fn saving_again_replaces(storage: &impl CheckpointStorage) {
    storage.save(&[checkpoint("orders", 1, 0, 5)]).await.unwrap();
    storage.save(&[checkpoint("orders", 1, 0, 8)]).await.unwrap();
    assert_eq!(storage.load("orders").await.unwrap(), [checkpoint("orders", 1, 0, 8)]);
}

/// Recording a skipped event twice records it once; another instance of the same event is another record.
pub async fn recording_again_changes_nothing(storage: &impl CheckpointStorage) {
    let first = [skipped("orders", 1, 5, None), skipped("orders", 1, 3, Some("a"))];
    storage.record_skipped(&first).await.unwrap();
    let mut again = first[0].clone();
    again.cause = "another cause".to_owned();
    storage.record_skipped(&[again, first[1].clone(), skipped("orders", 1, 3, Some("b"))]).await.unwrap();
    storage.record_skipped(&[skipped("order", 1, 1, None)]).await.unwrap();
    storage.record_skipped(&[]).await.unwrap();
    let found = storage.skipped("orders").await.unwrap();
    let positions: Vec<_> = found.iter().map(|found| found.position.as_i64()).collect();
    assert_eq!(positions, [3, 3, 5]);
    assert_eq!(found[2], first[0]);
    assert!(found.contains(&first[1]));
}

/// Removing a version removes its checkpoints and records, and no others.
pub async fn removing_a_version_leaves_the_others(storage: &impl CheckpointStorage) {
    storage.save(&[checkpoint("orders", 1, 0, 5), checkpoint("orders", 1, 1, 5)]).await.unwrap();
    storage.save(&[checkpoint("orders", 2, 0, 5), checkpoint("other", 1, 0, 5)]).await.unwrap();
    storage.record_skipped(&[skipped("orders", 1, 3, None), skipped("orders", 2, 4, None)]).await.unwrap();
    storage.remove("orders", 1).await.unwrap();
    storage.remove("nobody", 1).await.unwrap();
    assert_eq!(storage.load("orders").await.unwrap(), [checkpoint("orders", 2, 0, 5)]);
    assert_eq!(storage.load("other").await.unwrap(), [checkpoint("other", 1, 0, 5)]);
    assert_eq!(storage.skipped("orders").await.unwrap(), [skipped("orders", 2, 4, None)]);
}

// spec: B14
/// An instance is parked once, from where it was parked last; the records come in position order.
pub async fn an_instance_is_parked_once(storage: &impl CheckpointStorage) {
    assert!(storage.parked("orders").await.unwrap().is_empty());
    storage.park(&[]).await.unwrap();
    let (late, early) = (parked("orders", 1, "\"a\"", 7), parked("orders", 1, "\"b\"", 5));
    storage.park(&[late.clone(), early.clone()]).await.unwrap();
    storage.park(&[parked("order", 1, "\"a\"", 1)]).await.unwrap();
    assert_eq!(storage.parked("orders").await.unwrap(), [early, late.clone()]);
    let again = parked("orders", 1, "\"b\"", 9);
    let another_version = parked("orders", 2, "\"a\"", 8);
    storage.park(&[again.clone(), another_version.clone()]).await.unwrap();
    assert_eq!(storage.parked("orders").await.unwrap(), [late, another_version, again]);
}

// spec: B14
/// Releasing an instance removes its record and no other; releasing it again is harmless.
pub async fn a_released_instance_is_no_longer_parked(storage: &impl CheckpointStorage) {
    let [a, b, other] =
        [("\"a\"", 1), ("\"b\"", 1), ("\"a\"", 2)].map(|(id, version)| parked("orders", version, id, 5));
    storage.park(&[a.clone(), b.clone(), other.clone()]).await.unwrap();
    for _ in 0..2 {
        storage.unpark(&a.key, &a.instance).await.unwrap();
        let left = storage.parked("orders").await.unwrap();
        assert_eq!(left.len(), 2);
        assert!(left.contains(&b) && left.contains(&other), "{left:?}");
    }
    storage.remove("orders", 1).await.unwrap();
    assert_eq!(storage.parked("orders").await.unwrap(), [other]);
}

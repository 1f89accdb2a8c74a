//! Events that cannot be decoded, and handlers that panic.

use projection_core::{
    FeedError, MaterializedViewOptions, OnPoison, ViewStore,
    memory::{InMemoryEventStore, InMemoryViews, NewEvent},
};

use crate::support::{added, checkpoint, guarded_feed, options, stored};

fn skipping(batch_size: usize) -> MaterializedViewOptions {
    options(batch_size).to_builder().on_poison(OnPoison::Skip).build().unwrap()
}

fn undecodable(id: &str) -> NewEvent {
    NewEvent::from_json("Added", r#"{"to": 5}"#).with_id(id)
}

fn history() -> InMemoryEventStore {
    let events = InMemoryEventStore::new();
    events.record("s", [added("boom a", 1), added("boom a", 13).with_id("thirteen"), added("boom a", 3)]).unwrap();
    events
}

// spec: B14
#[tokio::test]
async fn a_panic_fails_and_names_projection_instance_event_and_position() {
    let views = InMemoryViews::new();
    let error = guarded_feed(options(10), &history(), &views).await.catch_up().await.unwrap_err();
    let FeedError::Poison { projection, instance, event, position, source, .. } = &error else {
        panic!("{error:?}")
    };
    assert_eq!((projection.as_str(), instance.as_deref()), ("lists", Some("\"boom\"")));
    assert_eq!((&*event.id, position.as_i64()), ("thirteen", 2));
    assert!(source.to_string().contains("entry 13 goes boom"), "{source}");
    assert_eq!(checkpoint(&views).await, None);
    assert_eq!(stored(&views, "a"), None);
}

// spec: B14, B17
#[tokio::test]
async fn a_skipped_panic_is_recorded_and_its_half_changed_state_is_thrown_away() {
    for batch_size in [1, 2, 10] {
        let views = InMemoryViews::new();
        guarded_feed(skipping(batch_size), &history(), &views).await.catch_up().await.unwrap();
        assert_eq!(stored(&views, "boom").unwrap(), [1, 3], "batch size {batch_size}");
        assert_eq!(stored(&views, "a").unwrap(), [1, 13, 3], "other instances take the event");
        let skipped = views.checkpoints().skipped("lists").await.unwrap();
        assert_eq!(skipped.len(), 1);
        assert_eq!((skipped[0].position.as_i64(), skipped[0].instance.as_deref()), (2, Some("\"boom\"")));
        assert!(skipped[0].cause.contains("entry 13 goes boom"));
        assert_eq!(checkpoint(&views).await, Some(3));
    }
}

// spec: B14
#[tokio::test]
async fn an_event_that_cannot_be_decoded_fails_or_is_recorded_without_an_instance() {
    let events = InMemoryEventStore::new();
    events.record("s", [added("a", 1), undecodable("odd"), added("a", 3)]).unwrap();
    let views = InMemoryViews::new();
    let error = guarded_feed(options(10), &events, &views).await.catch_up().await.unwrap_err();
    let FeedError::Poison { instance: None, event, position, .. } = &error else { panic!("{error:?}") };
    assert_eq!((&*event.id, position.as_i64()), ("odd", 2));

    guarded_feed(skipping(10), &events, &views).await.catch_up().await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [1, 3]);
    let skipped = views.checkpoints().skipped("lists").await.unwrap();
    assert_eq!((&*skipped[0].event.id, skipped[0].instance.as_deref()), ("odd", None));
}

// spec: B13, B14
#[tokio::test]
async fn a_history_that_ends_with_poison_is_passed_with_its_record() {
    let events = InMemoryEventStore::new();
    events.record("s", [undecodable("odd")]).unwrap();
    let views = InMemoryViews::new();
    guarded_feed(skipping(10), &events, &views).await.catch_up().await.unwrap();
    assert_eq!(checkpoint(&views).await, Some(1));
    assert_eq!(views.checkpoints().skipped("lists").await.unwrap().len(), 1);
}

// spec: B14
#[tokio::test]
async fn a_key_expression_that_panics_is_poison_too() {
    let events = InMemoryEventStore::new();
    events.record("s", [added("a", 1), added("bad-key", 2), added("a", 3)]).unwrap();
    let views = InMemoryViews::new();
    let error = guarded_feed(options(10), &events, &views).await.catch_up().await.unwrap_err();
    assert!(matches!(&error, FeedError::Poison { instance: None, .. }), "{error:?}");
    guarded_feed(skipping(10), &events, &views).await.catch_up().await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [1, 3]);
}

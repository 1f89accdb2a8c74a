//! Repositories that keep positions: bulk and retry together, nothing applied twice.

use std::{sync::Arc, time::Duration};

use projection_core::{
    EventStore, FeedError, MaterializedViewOptions, RetryStrategy, ViewStore,
    memory::{InMemoryEventStore, InMemoryViews},
    testing::{Fault, FaultyRepository},
};

use crate::support::{List, added, checkpoint, feed_into, guarded_feed, options, removed, stored, turns, uncached};

type Faulty = FaultyRepository<List, String>;

async fn faulty(views: &InMemoryViews) -> Faulty {
    Faulty::new(views.open::<List>(&turns(0).source()).await.unwrap())
}

fn retrying() -> MaterializedViewOptions {
    uncached(1000).to_builder().retry(RetryStrategy::fixed(Duration::ZERO)).build().unwrap()
}

// spec: P4
#[tokio::test]
async fn a_batch_costs_one_load_and_one_commit() {
    let (views, events) = (InMemoryViews::new(), turns(12));
    let lists = faulty(&views).await;
    feed_into(Arc::new(lists.clone()), uncached(5), &events, &views).catch_up().await.unwrap();
    assert_eq!(lists.calls(), ["load 3", "commit 3", "load 3", "commit 3", "load 2", "commit 2"]);
    assert_eq!(stored(&views, "b").unwrap(), [1, 4, 7, 10]);
}

// spec: B10
#[tokio::test]
async fn under_a_retry_strategy_the_rest_goes_through_in_bulk_and_what_lost_is_done_again() {
    let (views, events) = (InMemoryViews::new(), turns(9));
    let lists = faulty(&views).await;
    lists.inject(1, Fault::Lost);
    feed_into(Arc::new(lists.clone()), retrying(), &events, &views).catch_up().await.unwrap();
    assert_eq!(lists.calls(), ["load 3", "commit 3", "load 1", "commit 1"]);
    for (id, entries) in [("a", [0, 3, 6]), ("b", [1, 4, 7]), ("c", [2, 5, 8])] {
        assert_eq!(stored(&views, id).unwrap(), entries);
    }
    assert_eq!(checkpoint(&views).await, Some(9));
}

// spec: B11
#[tokio::test]
async fn an_unknown_outcome_is_settled_by_doing_it_again_and_never_applies_twice() {
    for fault in [Fault::UnknownWritten, Fault::UnknownNotWritten] {
        let (views, events) = (InMemoryViews::new(), turns(9));
        let lists = faulty(&views).await;
        lists.inject(0, fault);
        lists.inject(2, fault);
        feed_into(Arc::new(lists.clone()), retrying(), &events, &views).catch_up().await.unwrap();
        assert_eq!(stored(&views, "a").unwrap(), [0, 3, 6], "{fault:?}");
        assert_eq!(stored(&views, "c").unwrap(), [2, 5, 8], "{fault:?}");
        assert_eq!(checkpoint(&views).await, Some(9));
    }
}

// spec: P11, B11
#[tokio::test]
async fn without_a_strategy_an_unknown_outcome_fails_and_the_next_start_applies_nothing_twice() {
    let (views, events) = (InMemoryViews::new(), turns(9));
    let lists = faulty(&views).await;
    lists.inject(1, Fault::UnknownWritten);
    let feed = feed_into(Arc::new(lists), uncached(1000), &events, &views);
    assert!(matches!(feed.catch_up().await, Err(FeedError::Write { .. })));
    assert_eq!(checkpoint(&views).await, None);
    feed.catch_up().await.unwrap();
    for (id, entries) in [("a", [0, 3, 6]), ("b", [1, 4, 7]), ("c", [2, 5, 8])] {
        assert_eq!(stored(&views, id).unwrap(), entries);
    }
}

#[tokio::test]
async fn what_is_refused_for_good_is_not_tried_again_and_is_named() {
    let (views, events) = (InMemoryViews::new(), turns(9));
    let lists = faulty(&views).await;
    lists.inject(2, Fault::Rejected);
    let error = feed_into(Arc::new(lists.clone()), retrying(), &events, &views).catch_up().await.unwrap_err();
    assert!(error.to_string().contains("instance \"c\""), "{error}");
    assert_eq!(lists.calls(), ["load 3", "commit 3"]);
    assert!(stored(&views, "a").is_some(), "it does not take the others with it");
}

#[tokio::test]
async fn a_load_that_fails_is_tried_again() {
    let (views, events) = (InMemoryViews::new(), turns(3));
    let lists = faulty(&views).await;
    lists.fail_loads(2);
    feed_into(Arc::new(lists.clone()), retrying(), &events, &views).catch_up().await.unwrap();
    assert_eq!(lists.calls(), ["load 3", "load 3", "load 3", "commit 3"]);
}

// spec: B18
#[tokio::test]
async fn a_deleted_instance_can_be_created_again_once_its_tombstone_is_gone() {
    let (views, events) = (InMemoryViews::new(), InMemoryEventStore::new());
    events.record("s", [added("a", 1), added("b", 2), removed("a"), added("b", 3), added("a", 4)]).unwrap();
    guarded_feed(options(2), &events, &views).await.catch_up().await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [4]);
}

// spec: B11, B12
#[tokio::test]
async fn a_batch_written_again_because_its_checkpoint_was_lost_changes_nothing() {
    let (views, events) = (InMemoryViews::new(), turns(9));
    guarded_feed(options(4), &events, &views).await.catch_up().await.unwrap();
    views.checkpoints().remove("lists", 1).await.unwrap();
    guarded_feed(options(2), &events, &views).await.catch_up().await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [0, 3, 6]);
}

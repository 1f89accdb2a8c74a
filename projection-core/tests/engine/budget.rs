//! A replay with a memory budget: each instance is written once a flush, and what needs care goes by batches.

use std::{sync::Arc, time::Duration};

use projection_core::{
    EventStore as _, MaterializedViewOptions, OnPoison, Projection as _, RetryStrategy, ViewStore as _,
    memory::InMemoryViews,
    testing::{Fault, FaultyRepository},
};

use crate::{
    paged::Paged,
    support::{List, added, checkpoint, feed_into, guarded_feed, removed, stored, turns},
};

const PLENTY: usize = 1 << 30;

fn with_budget(bytes: usize) -> MaterializedViewOptions {
    MaterializedViewOptions::builder().batch_size(2).memory_budget(bytes).build().unwrap()
}

async fn faulty(views: &InMemoryViews) -> FaultyRepository<List, String> {
    FaultyRepository::new(views.open::<List>(&turns(0).source()).await.unwrap())
}

#[tokio::test]
async fn an_empty_view_is_not_read_and_each_instance_is_written_once() {
    let (views, events) = (InMemoryViews::new(), turns(30));
    let repository = faulty(&views).await;
    let paged = Paged { events, limit: 4 };
    feed_into(Arc::new(repository.clone()), with_budget(PLENTY), &paged, &views).catch_up().await.unwrap();
    assert_eq!(repository.calls(), ["commit 3"]);
    assert_eq!(stored(&views, "b").unwrap(), (0..10).map(|turn| 3 * turn + 1).collect::<Vec<_>>());
    assert_eq!(checkpoint(&views).await, Some(30));
}

#[tokio::test]
async fn a_view_that_is_not_empty_is_read_once_for_each_instance() {
    let (views, events) = (InMemoryViews::new(), turns(3));
    guarded_feed(with_budget(PLENTY), &events, &views).await.catch_up().await.unwrap();
    views.checkpoints().remove("lists", List::VERSION).await.unwrap();
    for entry in 3..30 {
        events.record("s", [added(["a", "b", "c"][usize::try_from(entry % 3).unwrap()], entry)]).unwrap();
    }
    let repository = faulty(&views).await;
    let paged = Paged { events, limit: 4 };
    feed_into(Arc::new(repository.clone()), with_budget(PLENTY), &paged, &views).catch_up().await.unwrap();
    assert_eq!(repository.calls(), ["load 3", "commit 3"]);
    assert_eq!(stored(&views, "a").unwrap(), (0..10).map(|turn| 3 * turn).collect::<Vec<_>>());
}

// spec: B2
#[tokio::test]
async fn a_budget_that_is_used_up_ends_a_batch_at_the_end_of_a_page() {
    let (views, events) = (InMemoryViews::new(), turns(30));
    let repository = faulty(&views).await;
    let paged = Paged { events, limit: 10 };
    feed_into(Arc::new(repository.clone()), with_budget(1), &paged, &views).catch_up().await.unwrap();
    let commits = repository.calls().into_iter().filter(|call| call == "commit 3").count();
    assert_eq!(commits, 3);
    assert_eq!(checkpoint(&views).await, Some(30));
}

// spec: B12
#[tokio::test]
async fn work_that_may_not_be_lost_ends_a_batch() {
    let (views, events) = (InMemoryViews::new(), turns(30));
    let repository = faulty(&views).await;
    let paged = Paged { events, limit: 10 };
    let options = with_budget(PLENTY).to_builder().max_replay_loss(Duration::ZERO).build().unwrap();
    feed_into(Arc::new(repository.clone()), options, &paged, &views).catch_up().await.unwrap();
    assert_eq!(repository.calls(), ["commit 3"; 3]);
}

// spec: B3
#[tokio::test]
async fn what_is_created_and_deleted_before_a_flush_is_not_written() {
    let (views, events) = (InMemoryViews::new(), turns(0));
    events.record("s", [added("a b", 1), removed("a"), removed("c")]).unwrap();
    let repository = faulty(&views).await;
    feed_into(Arc::new(repository.clone()), with_budget(PLENTY), &events, &views).catch_up().await.unwrap();
    assert_eq!(repository.calls(), ["commit 1"]);
    assert_eq!(stored(&views, "a"), None);
    assert_eq!(stored(&views, "b").unwrap(), [1]);
}

// spec: B18
#[tokio::test]
async fn an_instance_that_was_deleted_in_an_earlier_flush_comes_back_over_its_tombstone() {
    let (views, events) = (InMemoryViews::new(), turns(0));
    for round in 0..4 {
        events.record("s", [added("a", round)]).unwrap();
        events.record("s", [removed("a")]).unwrap();
    }
    events.record("s", [added("a", 9)]).unwrap();
    let paged = Paged { events, limit: 1 };
    let repository = views.open::<List>(&paged.source()).await.unwrap();
    feed_into(repository, with_budget(1), &paged, &views).catch_up().await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [9]);
}

// spec: B14
#[tokio::test]
async fn a_handler_that_panics_is_met_as_without_a_budget() {
    for budget in [1, PLENTY] {
        for (on_poison, boom) in [(OnPoison::Skip, vec![12, 14]), (OnPoison::Park { max: 1 }, vec![12])] {
            let (views, events) = (InMemoryViews::new(), turns(9));
            events.record("s", [12, 13, 14].map(|entry| added("a boom", entry))).unwrap();
            events.record("s", [added("a", 15)]).unwrap();
            let options = with_budget(budget).to_builder().on_poison(on_poison).build().unwrap();
            let paged = Paged { events, limit: 4 };
            let repository = views.open::<List>(&paged.source()).await.unwrap();
            feed_into(repository, options, &paged, &views).catch_up().await.unwrap();
            assert_eq!(stored(&views, "a").unwrap(), [0, 3, 6, 12, 13, 14, 15], "{on_poison:?}");
            assert_eq!(stored(&views, "boom").unwrap(), boom, "{on_poison:?}");
        }
    }
}

// spec: B14
#[tokio::test]
async fn an_event_that_fails_the_projection_leaves_what_came_before_it_stored() {
    let (views, events) = (InMemoryViews::new(), turns(9));
    events.record("s", [added("boom", 13)]).unwrap();
    let paged = Paged { events, limit: 4 };
    let repository = views.open::<List>(&paged.source()).await.unwrap();
    let error = feed_into(repository, with_budget(PLENTY), &paged, &views).catch_up().await.unwrap_err();
    assert!(error.to_string().contains("position 10"), "{error}");
    assert_eq!(checkpoint(&views).await, Some(8));
    assert_eq!(stored(&views, "c").unwrap(), [2, 5]);
}

// spec: B10, B11
#[tokio::test]
async fn a_flush_whose_outcome_is_unknown_is_settled_by_looking() {
    for fault in [Fault::UnknownWritten, Fault::UnknownNotWritten, Fault::Lost] {
        let (views, events) = (InMemoryViews::new(), turns(30));
        let repository = faulty(&views).await;
        repository.inject(1, fault);
        let retry = RetryStrategy::fixed(Duration::ZERO).with_attempts(3).unwrap();
        let options = with_budget(PLENTY).to_builder().retry(retry).build().unwrap();
        feed_into(Arc::new(repository.clone()), options, &events, &views).catch_up().await.unwrap();
        let again = if fault == Fault::UnknownWritten {
            &["commit 3", "load 1"][..]
        } else {
            &["commit 3", "load 1", "commit 1"]
        };
        assert_eq!(repository.calls(), again, "{fault:?}");
        assert_eq!(stored(&views, "b").unwrap().len(), 10);
        assert_eq!(checkpoint(&views).await, Some(30));
    }
}

#[test]
fn a_budget_of_nothing_or_beside_a_batch_size_of_one_is_refused() {
    let nothing = MaterializedViewOptions::builder().memory_budget(0).build().unwrap_err();
    assert!(nothing.to_string().starts_with("memory_budget = 0 is refused: "), "{nothing}");
    let one = MaterializedViewOptions::builder().batch_size(1).memory_budget(10).build().unwrap_err();
    assert!(one.to_string().contains("batch_size of 1"), "{one}");
}

#[tokio::test]
async fn once_live_batches_are_of_their_size_again() {
    let (views, events) = (InMemoryViews::new(), turns(30));
    let repository = faulty(&views).await;
    let feed = feed_into(Arc::new(repository.clone()), with_budget(PLENTY), &events, &views);
    feed.catch_up().await.unwrap();
    drop(repository.calls());
    events.record("s", [1, 2, 3, 4].map(|entry| added("a", entry))).unwrap();
    feed.poll().await.unwrap();
    let commits = repository.calls().into_iter().filter(|call| call.starts_with("commit")).count();
    assert_eq!(commits, 2);
}

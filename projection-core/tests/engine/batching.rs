//! How many calls a replay costs, and in which order events reach an instance.

use projection_core::{RetryStrategy, memory::InMemoryEventStore, memory::InMemoryViews};

use crate::support::{Lists, added, feed_into, options, removed, repository, turns, uncached};

fn entries(lists: &Lists, id: &str) -> Vec<i64> {
    lists.peek(&id.to_owned()).map(|list| list.entries).unwrap_or_default()
}

// spec: P1, P4
#[tokio::test]
async fn fifteen_events_over_three_ids_cost_one_read_and_one_write() {
    let lists = Lists::new();
    feed_into(repository(&lists), uncached(1000), &turns(15), &InMemoryViews::new()).catch_up().await.unwrap();
    assert_eq!(lists.calls(), ["find_all_by_id a b c", "save_all a b c"]);
    assert_eq!(entries(&lists, "a"), [0, 3, 6, 9, 12]);
    assert_eq!(entries(&lists, "b"), [1, 4, 7, 10, 13]);
    assert_eq!(entries(&lists, "c"), [2, 5, 8, 11, 14]);
}

// spec: P1, P4, P8
#[tokio::test]
async fn twelve_events_in_batches_of_five_are_three_flushes_in_arrival_order() {
    let lists = Lists::new();
    feed_into(repository(&lists), uncached(5), &turns(12), &InMemoryViews::new()).catch_up().await.unwrap();
    let calls = [
        "find_all_by_id a b c",
        "save_all a b c",
        "find_all_by_id c a b",
        "save_all c a b",
        "find_all_by_id b c",
        "save_all b c",
    ];
    assert_eq!(lists.calls(), calls);
    assert_eq!(entries(&lists, "b"), [1, 4, 7, 10]);
}

// spec: P4
#[tokio::test]
async fn states_written_by_the_replay_are_not_read_again() {
    let lists = Lists::new();
    feed_into(repository(&lists), options(5), &turns(12), &InMemoryViews::new()).catch_up().await.unwrap();
    assert_eq!(lists.calls(), ["find_all_by_id a b c", "save_all a b c", "save_all c a b", "save_all b c"]);
    assert_eq!(entries(&lists, "b"), [1, 4, 7, 10]);
}

// spec: P3
#[tokio::test]
async fn a_batch_size_of_one_reads_and_saves_each_event_by_itself() {
    let lists = Lists::new();
    feed_into(repository(&lists), options(1), &turns(4), &InMemoryViews::new()).catch_up().await.unwrap();
    let calls =
        ["find_by_id a", "save a", "find_by_id b", "save b", "find_by_id c", "save c", "find_by_id a", "save a"];
    assert_eq!(lists.calls(), calls);
}

// spec: P6
#[tokio::test]
async fn an_event_without_a_key_is_neither_read_nor_written_nor_counted() {
    let (lists, events) = (Lists::new(), InMemoryEventStore::new());
    let history = [added("", 0), added("a", 1), added("", 2), added("b", 3), added("a", 4)];
    events.record("s", history).unwrap();
    let feed = feed_into(repository(&lists), uncached(2), &events, &InMemoryViews::new());
    feed.catch_up().await.unwrap();
    assert_eq!(lists.calls(), ["find_all_by_id a b", "save_all a b", "find_all_by_id a", "save_all a"]);
    let progress = feed.progress().borrow().clone();
    assert_eq!((progress.events_applied, progress.events_skipped, progress.batches), (3, 2, 2));
    assert_eq!(progress.instances_written, 3);
}

// spec: B3
#[tokio::test]
async fn the_pairs_of_one_event_are_never_split_and_doubled_keys_are_one() {
    let (lists, events) = (Lists::new(), InMemoryEventStore::new());
    events.record("s", [added("a b c a", 1), added("a", 2)]).unwrap();
    feed_into(repository(&lists), uncached(2), &events, &InMemoryViews::new()).catch_up().await.unwrap();
    assert_eq!(lists.calls(), ["find_all_by_id a b c", "save_all a b c", "find_all_by_id a", "save_all a"]);
    assert_eq!(entries(&lists, "a"), [1, 2]);
}

// spec: B3
#[tokio::test]
async fn an_instance_created_and_deleted_inside_one_batch_writes_nothing() {
    let (lists, events) = (Lists::new(), InMemoryEventStore::new());
    events.record("s", [added("a b", 1), removed("a")]).unwrap();
    feed_into(repository(&lists), options(10), &events, &InMemoryViews::new()).catch_up().await.unwrap();
    assert_eq!(lists.calls(), ["find_all_by_id a b", "save_all b"]);
}

#[tokio::test]
async fn an_instance_that_exists_is_deleted() {
    let (lists, events) = (Lists::new(), InMemoryEventStore::new());
    events.record("s", [added("a b", 1), removed("a")]).unwrap();
    feed_into(repository(&lists), options(1), &events, &InMemoryViews::new()).catch_up().await.unwrap();
    assert_eq!(lists.len(), 1);
    assert!(lists.peek(&"a".to_owned()).is_none());
}

// spec: P14
#[tokio::test]
async fn with_a_retry_strategy_a_plain_repository_is_flushed_one_instance_at_a_time() {
    let lists = Lists::new();
    let options =
        uncached(1000).to_builder().retry(RetryStrategy::fixed(std::time::Duration::ZERO)).build().unwrap();
    feed_into(repository(&lists), options, &turns(6), &InMemoryViews::new()).catch_up().await.unwrap();
    assert_eq!(lists.calls(), ["find_by_id a", "save a", "find_by_id b", "save b", "find_by_id c", "save c"]);
}

// spec: B2
#[tokio::test]
async fn a_batch_is_bounded_by_bytes_too() {
    let lists = Lists::new();
    let options = uncached(1000).to_builder().batch_bytes(60).build().unwrap();
    feed_into(repository(&lists), options, &turns(6), &InMemoryViews::new()).catch_up().await.unwrap();
    assert!(lists.calls().len() > 2, "events of about 22 bytes make batches of three");
    assert_eq!(entries(&lists, "a"), [0, 3]);
}

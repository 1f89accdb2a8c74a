//! What is left when a plain repository fails, and what is tried again.

use std::{error::Error, time::Duration};

use projection_core::{FeedError, Phase, RetryStrategy, StoreError, memory::InMemoryViews};

use crate::support::{Lists, checkpoint, feed_into, repository, turns, uncached};

// spec: P10, P11, B12
#[tokio::test]
async fn a_failed_write_fails_the_catch_up_and_earlier_batches_stay_with_their_checkpoint() {
    let (lists, views, events) = (Lists::new(), InMemoryViews::new(), turns(12));
    lists.fail_next("save_all c a b", StoreError::permanent("disk full"));
    let feed = feed_into(repository(&lists), uncached(5), &events, &views);

    let error = feed.catch_up().await.unwrap_err();
    assert_eq!(error.source().unwrap().to_string(), "disk full");
    assert!(
        error.to_string().starts_with("projection `lists`: a batch cannot be read or written, after 1 try"),
        "{error}"
    );
    assert!(error.to_string().ends_with("at position 10"), "{error}");
    assert_eq!(checkpoint(&views).await, Some(5));
    assert_eq!(feed.progress().borrow().phase, Phase::Failed);
    assert!(feed.failure().is_some());

    drop(lists.calls());
    feed.catch_up().await.unwrap();
    assert_eq!(lists.calls()[0], "find_all_by_id c a b", "it goes on after the checkpoint");
    assert_eq!(lists.peek(&"a".to_owned()).unwrap().entries, [0, 3, 6, 9]);
    assert_eq!(checkpoint(&views).await, Some(12));
    assert!(feed.failure().is_none());
}

// spec: P11
#[tokio::test]
async fn a_loop_of_saves_that_fails_partway_leaves_what_was_written() {
    let (lists, views) = (Lists::new(), InMemoryViews::new());
    lists.fail_next("save b", StoreError::permanent("refused"));
    let options = uncached(1000).to_builder().retry(RetryStrategy::fixed(Duration::ZERO)).build().unwrap();
    let error = feed_into(repository(&lists), options, &turns(6), &views).catch_up().await.unwrap_err();
    assert!(error.to_string().contains("instance \"b\""), "{error}");
    assert!(lists.peek(&"a".to_owned()).is_some());
    assert!(lists.peek(&"c".to_owned()).is_none());
    assert_eq!(checkpoint(&views).await, None);
}

// spec: P14
#[tokio::test]
async fn only_the_instance_that_lost_is_read_folded_and_saved_again() {
    let lists = Lists::new();
    lists.fail_next("save b", StoreError::conflict("lost"));
    lists.fail_next("save b", StoreError::transient("connection reset"));
    let options = uncached(1000).to_builder().retry(RetryStrategy::fixed(Duration::ZERO)).build().unwrap();
    feed_into(repository(&lists), options, &turns(6), &InMemoryViews::new()).catch_up().await.unwrap();
    let calls = [
        "find_by_id a",
        "save a",
        "find_by_id b",
        "save b",
        "find_by_id b",
        "save b",
        "find_by_id b",
        "save b",
        "find_by_id c",
        "save c",
    ];
    assert_eq!(lists.calls(), calls);
    assert_eq!(lists.peek(&"b".to_owned()).unwrap().entries, [1, 4]);
}

// spec: B10
#[tokio::test]
async fn when_the_strategy_gives_up_the_error_names_projection_instance_event_and_position() {
    let lists = Lists::new();
    for _ in 0..3 {
        lists.fail_next("save b", StoreError::conflict("lost"));
    }
    let retry = RetryStrategy::fixed(Duration::ZERO).with_attempts(3).unwrap();
    let options = uncached(1000).to_builder().retry(retry).build().unwrap();
    let error =
        feed_into(repository(&lists), options, &turns(6), &InMemoryViews::new()).catch_up().await.unwrap_err();
    let FeedError::Write { projection, instance, event, position, tries, .. } = &error else { panic!("{error:?}") };
    assert_eq!((projection.as_str(), instance.as_deref(), *tries), ("lists", Some("\"b\""), 3));
    assert_eq!(position.as_i64(), 5);
    assert!(event.is_some());
}

#[tokio::test]
async fn a_stop_ends_a_sleeping_backoff() {
    let lists = Lists::new();
    lists.fail_next("save a", StoreError::transient("down"));
    let options =
        uncached(1000).to_builder().retry(RetryStrategy::fixed(Duration::from_secs(3600))).build().unwrap();
    let feed = feed_into(repository(&lists), options, &turns(6), &InMemoryViews::new());
    let (ended, ()) = tokio::join!(feed.catch_up(), async {
        while !lists.calls().contains(&"save a".to_owned()) {
            tokio::task::yield_now().await;
        }
        feed.stop();
    });
    assert!(matches!(ended, Err(FeedError::Stopped { .. })), "{ended:?}");
}

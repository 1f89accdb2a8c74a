//! Stopping a replay and starting it again.

use std::sync::Arc;

use async_trait::async_trait;
use projection_core::{
    FeedError, Phase, StoreError, ViewStateRepository,
    feed::CatchupProjectionFeed,
    memory::{InMemoryEventStore, InMemoryViews},
};
use tokio::sync::Notify;

use crate::support::{
    List, Lists, checkpoint, feed_into, guarded_feed, options, repository, stored, turns, uncached,
};

/// Stops the feed from inside its `nth` read, so that the stop arrives before the fold of that batch.
struct StopsAt {
    inner: Lists,
    reads: std::sync::Mutex<usize>,
    nth: usize,
    feed: Arc<std::sync::OnceLock<Arc<CatchupProjectionFeed>>>,
}

#[async_trait]
impl ViewStateRepository<List, String> for StopsAt {
    async fn find_by_id(&self, id: &String) -> Result<Option<List>, StoreError> {
        self.inner.find_by_id(id).await
    }

    async fn save(&self, id: &String, state: &List) -> Result<(), StoreError> {
        self.inner.save(id, state).await
    }

    async fn delete(&self, id: &String) -> Result<(), StoreError> {
        self.inner.delete(id).await
    }

    async fn find_all_by_id(&self, ids: &[String]) -> Result<Vec<(usize, List)>, StoreError> {
        let reads = {
            let mut reads = self.reads.lock().unwrap();
            *reads += 1;
            *reads
        };
        if reads == self.nth {
            self.feed.get().unwrap().stop();
        }
        self.inner.find_all_by_id(ids).await
    }
}

fn stops_at(
    nth: usize,
    lists: &Lists,
    events: &InMemoryEventStore,
    views: &InMemoryViews,
) -> Arc<CatchupProjectionFeed> {
    let feed = Arc::new(std::sync::OnceLock::new());
    let home = StopsAt { inner: lists.clone(), reads: std::sync::Mutex::new(0), nth, feed: Arc::clone(&feed) };
    let made = Arc::new(feed_into(Arc::new(home), uncached(5), events, views));
    assert!(feed.set(Arc::clone(&made)).is_ok());
    made
}

// spec: P12
#[tokio::test]
async fn a_stop_discards_the_buffer_and_keeps_earlier_batches_with_their_checkpoints() {
    let (lists, views, events) = (Lists::new(), InMemoryViews::new(), turns(12));
    let feed = stops_at(2, &lists, &events, &views);
    assert!(matches!(feed.catch_up().await, Err(FeedError::Stopped { .. })));
    assert_eq!(feed.progress().borrow().phase, Phase::Stopped);
    assert_eq!(checkpoint(&views).await, Some(5));
    assert_eq!(lists.peek(&"a".to_owned()).unwrap().entries, [0, 3], "nothing of the second batch");

    feed.catch_up().await.unwrap();
    assert_eq!(lists.peek(&"a".to_owned()).unwrap().entries, [0, 3, 6, 9]);
    assert_eq!(checkpoint(&views).await, Some(12));
}

// spec: P12
#[tokio::test]
async fn a_stop_while_the_last_batch_is_folded_still_abandons() {
    let (lists, views, events) = (Lists::new(), InMemoryViews::new(), turns(12));
    let feed = stops_at(3, &lists, &events, &views);
    assert!(matches!(feed.catch_up().await, Err(FeedError::Stopped { .. })));
    assert_eq!(checkpoint(&views).await, Some(10));
    assert_eq!(lists.peek(&"c".to_owned()).unwrap().entries, [2, 5, 8], "entry 11 is in the last batch");
}

// spec: P12
#[tokio::test]
async fn a_catch_up_that_is_dropped_at_any_await_can_be_started_again() {
    let events = turns(40);
    for polls in 0..200 {
        let views = InMemoryViews::new();
        let feed = guarded_feed(options(3), &events, &views).await;
        {
            let mut run = Box::pin(feed.catch_up());
            for _ in 0..polls {
                if futures_poll(&mut run).await {
                    break;
                }
            }
        }
        feed.catch_up().await.unwrap();
        let entries = stored(&views, "a").unwrap();
        assert_eq!(entries, (0..40).step_by(3).collect::<Vec<_>>(), "dropped after {polls} polls");
        assert_eq!(checkpoint(&views).await, Some(40));
    }
}

/// Polls once, and lets others run; says whether it is done.
async fn futures_poll<T>(run: &mut (impl Future<Output = T> + Unpin)) -> bool {
    let done = std::future::poll_fn(|context| {
        std::task::Poll::Ready(std::pin::Pin::new(&mut *run).poll(context).is_ready())
    })
    .await;
    tokio::task::yield_now().await;
    done
}

// spec: P20, P21
#[tokio::test]
async fn offering_to_a_stopped_feed_is_refused() {
    let (lists, views, events) = (Lists::new(), InMemoryViews::new(), turns(2));
    let feed = feed_into(repository(&lists), options(5), &events, &views);
    let never = feed.accept(crate::support::offered("x", "a", 1)).await.unwrap_err();
    assert!(matches!(never, FeedError::NotStarted { .. }), "{never}");
    feed.catch_up().await.unwrap();
    feed.stop();
    let stopped = feed.accept(crate::support::offered("x", "a", 1)).await.unwrap_err();
    assert!(matches!(stopped, FeedError::Stopped { .. }), "{stopped}");
}

#[tokio::test]
async fn two_starts_at_once_are_refused_instead_of_mixed() {
    let (views, events) = (InMemoryViews::new(), turns(30));
    let feed = Arc::new(guarded_feed(options(1), &events, &views).await);
    let begun = Arc::new(Notify::new());
    let first = tokio::spawn({
        let (feed, begun) = (Arc::clone(&feed), Arc::clone(&begun));
        async move {
            begun.notify_one();
            feed.catch_up().await
        }
    });
    begun.notified().await;
    let second = feed.catch_up().await;
    let first = first.await.unwrap();
    assert!(first.is_ok() || second.is_ok());
    assert_eq!(stored(&views, "a").unwrap().len(), 10);
}

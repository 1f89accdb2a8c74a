//! From history to live: held, drained, applied once.

use std::{sync::Arc, time::Duration};

use projection_core::{
    EventStore, FeedError, Filter, ViewStore,
    feed::{Accepted, CatchupProjectionFeed, DomainEventFeed, Hold, Offered, ProjectionView},
    memory::{InMemoryEventStore, InMemoryViews},
};

use crate::support::{Added, List, added, checkpoint, guarded_feed, offered, options, stored, turns};

async fn live(events: &InMemoryEventStore, views: &InMemoryViews) -> CatchupProjectionFeed {
    let feed = guarded_feed(options(5), events, views).await;
    feed.catch_up().await.unwrap();
    feed
}

// spec: P5
#[tokio::test]
async fn accept_returns_after_the_batch_that_holds_its_event_is_written() {
    let (views, events) = (InMemoryViews::new(), turns(3));
    let feed = live(&events, &views).await;
    events.record("s", [added("a", 50).with_id("fifty")]).unwrap();
    assert_eq!(feed.accept(offered("fifty", "a", 50)).await.unwrap(), Accepted::Applied);
    assert_eq!(stored(&views, "a").unwrap(), [0, 50]);
    assert_eq!(checkpoint(&views).await, Some(4));
}

// spec: P20
#[tokio::test]
async fn an_event_in_the_history_that_is_offered_again_is_applied_once() {
    let (views, events) = (InMemoryViews::new(), turns(0));
    for entry in 0..20_000_i64 {
        events.record("s", [added("a", entry).with_id(entry.to_string())]).unwrap();
    }
    let feed = live(&events, &views).await;
    for entry in [0_i64, 1, 9_999, 10_001, 19_999] {
        assert_eq!(feed.accept(offered(&entry.to_string(), "a", entry)).await.unwrap(), Accepted::Applied);
    }
    assert_eq!(stored(&views, "a").unwrap(), (0..20_000).collect::<Vec<_>>());
}

// spec: P20, P24
#[tokio::test]
async fn an_event_the_store_does_not_hold_is_applied_once_by_source_and_id() {
    let (views, events) = (InMemoryViews::new(), turns(0));
    let feed = live(&events, &views).await;
    for _ in 0..3 {
        assert_eq!(feed.accept(offered("x", "a", 7)).await.unwrap(), Accepted::Applied);
    }
    assert_eq!(stored(&views, "a").unwrap(), [7]);
    let elsewhere = Added { to: vec!["a".into()], entry: 8 };
    let elsewhere =
        projection_core::feed::OfferedEvent::of(&elsewhere, Offered::new("another-source", "x", "s")).unwrap();
    feed.accept(elsewhere).await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [7, 8], "the id alone does not make it the same event");
}

// spec: P20
#[tokio::test]
async fn an_event_that_was_offered_and_comes_into_the_store_later_is_applied_once() {
    let (views, events) = (InMemoryViews::new(), turns(0));
    let feed = live(&events, &views).await;
    feed.accept(offered("x", "a", 7)).await.unwrap();
    events.record("s", [added("a", 7).with_id("x"), added("a", 8)]).unwrap();
    feed.poll().await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [7, 8]);
}

#[tokio::test]
async fn what_no_handler_takes_is_irrelevant() {
    let (views, events) = (InMemoryViews::new(), turns(0));
    let feed = live(&events, &views).await;
    let other =
        projection_core::feed::OfferedEvent::new(Offered::new("s", "1", "s"), "Other", serde_json::json!({}));
    assert_eq!(feed.accept(other).await.unwrap(), Accepted::Irrelevant);
}

/// A feed whose catch-up has begun, held up at its first flush until `open` is called.
struct HeldUp {
    feed: Arc<DomainEventFeed>,
    gate: Arc<tokio::sync::Semaphore>,
    views: InMemoryViews,
    events: InMemoryEventStore,
    run: tokio::task::JoinHandle<Result<(), FeedError>>,
}

mod gate {
    use super::{Arc, InMemoryViews, List};
    use projection_core::{StoreError, ViewStateRepository, store};

    pub(super) struct Gated {
        pub inner: store::SharedRepository<List>,
        pub gate: Arc<tokio::sync::Semaphore>,
    }

    #[async_trait::async_trait]
    impl ViewStateRepository<List, String> for Gated {
        async fn find_by_id(&self, id: &String) -> Result<Option<List>, StoreError> {
            self.inner.find_by_id(id).await
        }
        async fn save(&self, id: &String, state: &List) -> Result<(), StoreError> {
            self.inner.save(id, state).await
        }
        async fn delete(&self, id: &String) -> Result<(), StoreError> {
            self.inner.delete(id).await
        }
        fn guarded(&self) -> Option<&dyn store::GuardedRepository<List, String>> {
            Some(self)
        }
    }

    #[async_trait::async_trait]
    impl store::GuardedRepository<List, String> for Gated {
        async fn load(&self, ids: &[String]) -> Result<Vec<(usize, store::Stored<List>)>, StoreError> {
            drop(self.gate.acquire().await.unwrap());
            self.inner.guarded().unwrap().load(ids).await
        }
        async fn commit(&self, commit: store::Commit<'_, List, String>) -> store::Committed {
            self.inner.guarded().unwrap().commit(commit).await
        }
        async fn checkpoint_passed(&self, passed: projection_core::Position) -> Result<(), StoreError> {
            self.inner.guarded().unwrap().checkpoint_passed(passed).await
        }
    }

    pub(super) async fn repository(views: &InMemoryViews, gate: &Arc<tokio::sync::Semaphore>) -> Gated {
        use projection_core::ViewStore;
        let source = store::SourceName::default();
        Gated { inner: views.open::<List>(&source).await.unwrap(), gate: Arc::clone(gate) }
    }
}

async fn held_up(hold: Hold) -> HeldUp {
    let (views, events, gate) = (InMemoryViews::new(), turns(3), Arc::new(tokio::sync::Semaphore::new(0)));
    let view = ProjectionView::<List>::new(Arc::new(gate::repository(&views, &gate).await));
    let feed =
        DomainEventFeed::new(view, Filter::all(), Arc::new(events.clone()), views.checkpoints(), hold).unwrap();
    let feed = Arc::new(feed);
    let run = tokio::spawn({
        let feed = Arc::clone(&feed);
        async move { feed.catch_up().await }
    });
    let mut progress = feed.progress();
    progress.wait_for(|progress| progress.head.as_i64() == 3).await.unwrap();
    HeldUp { feed, gate, views, events, run }
}

fn entry(entry: i64) -> Added {
    Added { to: vec!["a".into()], entry }
}

// spec: P21, B20
#[tokio::test]
async fn events_offered_during_the_replay_are_applied_after_it_in_order() {
    let up = held_up(Hold::default()).await;
    for (id, value) in [("k-1", 101), ("k-2", 102)] {
        let accepted = up.feed.accept(&entry(value), Offered::new("app", id, "s")).await.unwrap();
        assert_eq!(accepted, Accepted::Held);
    }
    up.events.record("s", [added("a", 50)]).unwrap();
    up.gate.add_permits(1000);
    up.feed.accept(&entry(103), Offered::new("app", "k-3", "s")).await.unwrap();
    up.run.await.unwrap().unwrap();
    up.feed.accept(&entry(104), Offered::new("app", "k-4", "s")).await.unwrap();
    assert_eq!(stored(&up.views, "a").unwrap(), [0, 50, 101, 102, 103, 104]);
}

// spec: P21
#[tokio::test]
async fn at_the_bound_the_offering_caller_gets_an_error() {
    let up = held_up(Hold::Refuse(2)).await;
    for id in ["1", "2"] {
        up.feed.accept(&entry(1), Offered::new("app", id, "s")).await.unwrap();
    }
    let error = up.feed.accept(&entry(1), Offered::new("app", "3", "s")).await.unwrap_err();
    assert!(matches!(error, FeedError::HoldFull { held: 2, .. }), "{error}");
    up.gate.add_permits(1000);
    up.run.await.unwrap().unwrap();
    assert_eq!(stored(&up.views, "a").unwrap(), [0, 1, 1]);
}

// spec: P21
#[tokio::test]
async fn at_the_bound_the_offering_caller_waits_by_choice() {
    let up = held_up(Hold::Wait(1)).await;
    up.feed.accept(&entry(1), Offered::new("app", "1", "s")).await.unwrap();
    let waiting = tokio::spawn({
        let feed = Arc::clone(&up.feed);
        async move { feed.accept(&entry(2), Offered::new("app", "2", "s")).await }
    });
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    up.gate.add_permits(1000);
    up.run.await.unwrap().unwrap();
    tokio::time::timeout(Duration::from_secs(10), waiting).await.unwrap().unwrap().unwrap();
    assert_eq!(stored(&up.views, "a").unwrap(), [0, 1, 2]);
}

// spec: P22
#[tokio::test]
async fn going_live_skips_the_history_records_no_catch_up_and_twice_is_harmless() {
    let (views, events) = (InMemoryViews::new(), turns(6));
    let feed = guarded_feed(options(5), &events, &views).await;
    feed.go_live().await.unwrap();
    feed.go_live().await.unwrap();
    events.record("s", [added("a", 50)]).unwrap();
    feed.poll().await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [50]);
    let all = views.checkpoints().load("lists").await.unwrap();
    assert_eq!((all[0].position.as_i64(), all[0].start.as_i64(), all[0].caught_up), (7, 6, false));

    let again = guarded_feed(options(5), &events, &views).await;
    events.record("s", [added("a", 51)]).unwrap();
    again.go_live().await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [50, 51], "it goes on from its checkpoint");
}

// spec: P22
#[tokio::test]
async fn a_catch_up_of_a_view_that_went_live_without_its_history_is_refused_as_a_rebuild() {
    let (views, events) = (InMemoryViews::new(), turns(6));
    guarded_feed(options(5), &events, &views).await.go_live().await.unwrap();
    let error = guarded_feed(options(5), &events, &views).await.catch_up().await.unwrap_err();
    assert!(matches!(error, FeedError::Rebuild { .. }), "{error}");
}

// spec: P23
#[tokio::test]
async fn without_the_mark_a_feed_refuses_to_start() {
    let views = InMemoryViews::new();
    let repository = views.open::<List>(&turns(0).source()).await.unwrap();
    let view = ProjectionView::<List>::new(repository);
    let store = Arc::new(markless::Markless(turns(3)));
    let feed = CatchupProjectionFeed::new(view, Filter::all(), store, views.checkpoints()).unwrap();
    for started in [feed.catch_up().await, feed.go_live().await] {
        let error = started.unwrap_err();
        assert!(error.to_string().contains("does not say up to where"), "{error}");
    }
    assert_eq!(checkpoint(&views).await, None);
}

mod markless {
    use async_trait::async_trait;
    use projection_core::{EventRef, EventStore, Filter, Position, StoreError, memory::InMemoryEventStore, store};

    /// A store whose mark cannot be had.
    pub(super) struct Markless(pub InMemoryEventStore);

    #[async_trait]
    impl EventStore for Markless {
        type Page = <InMemoryEventStore as EventStore>::Page;

        fn source(&self) -> store::SourceName {
            self.0.source()
        }
        async fn mark(&self) -> Result<Position, StoreError> {
            Err(StoreError::permanent("no permission"))
        }
        async fn read(
            &self,
            window: store::Window,
            filter: &Filter,
            limit: usize,
        ) -> Result<Self::Page, StoreError> {
            self.0.read(window, filter, limit).await
        }
        async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError> {
            self.0.locate(events).await
        }
    }
}

// spec: B21
#[tokio::test]
async fn stop_then_live_then_redelivery_applies_everything_once() {
    let up = held_up(Hold::default()).await;
    up.feed.accept(&entry(50), Offered::new("app", "fifty", "s")).await.unwrap();
    up.feed.stop();
    up.gate.add_permits(1000);
    assert!(matches!(up.run.await.unwrap(), Err(FeedError::Stopped { .. })));
    assert_eq!(stored(&up.views, "a"), None);

    up.feed.go_live().await.unwrap();
    up.feed.accept(&entry(50), Offered::new("app", "fifty", "s")).await.unwrap();
    assert_eq!(stored(&up.views, "a").unwrap(), [0, 50]);
    assert_eq!(stored(&up.views, "b").unwrap(), [1]);
}

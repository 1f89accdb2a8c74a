//! Stores that answer late, wrongly or not at all, and steps that cross each other.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use async_trait::async_trait;
use projection_core::{
    EventRef, EventStore, FeedError, Filter, MaterializedViewOptions, OnPoison, Phase, Position, ProjectionRuntime,
    RetryStrategy, StoreError, ViewStateRepository, ViewStore,
    feed::{Accepted, CatchupProjectionFeed, Hold, Offered, OfferedEvent, ProjectionView},
    memory::{InMemoryEventStore, InMemoryPage, InMemoryViews},
    store::{Commit, Committed, GuardedRepository, SharedRepository, SourceName, Stored, Window},
    testing::RecordingRepository,
};
use tokio::sync::Semaphore;

use crate::support::{
    List, Lists, added, checkpoint, feed_into, guarded_feed, offered, options, removed, repository, stored, turns,
    uncached,
};

/// A store with short pages, whose reads wait for a permit, and that may answer for fewer events than it was asked.
#[derive(Clone)]
struct Slow {
    inner: InMemoryEventStore,
    page: usize,
    reads: Arc<Semaphore>,
    forgets: bool,
}

impl Slow {
    fn new(inner: &InMemoryEventStore, page: usize) -> Self {
        Self { inner: inner.clone(), page, reads: Arc::new(Semaphore::new(1_000_000)), forgets: false }
    }

    /// Lets no more than `reads` reads through.
    fn close(&self, reads: usize) {
        self.reads.forget_permits(1_000_000);
        self.reads.add_permits(reads);
    }

    fn open(&self) {
        self.reads.add_permits(1000);
    }
}

#[async_trait]
impl EventStore for Slow {
    type Page = InMemoryPage;

    fn source(&self) -> SourceName {
        self.inner.source()
    }

    async fn mark(&self) -> Result<Position, StoreError> {
        self.inner.mark().await
    }

    async fn read(&self, window: Window, filter: &Filter, limit: usize) -> Result<InMemoryPage, StoreError> {
        self.reads.acquire().await.unwrap().forget();
        self.inner.read(window, filter, limit.min(self.page)).await
    }

    async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError> {
        if self.forgets { Ok(Vec::new()) } else { self.inner.locate(events).await }
    }
}

fn slow_feed(
    repository: SharedRepository<List>,
    options: MaterializedViewOptions,
    events: &Slow,
    views: &InMemoryViews,
    hold: Hold,
) -> Arc<CatchupProjectionFeed> {
    let view = ProjectionView::<List>::new(repository).with_options(options);
    let events = Arc::new(events.clone());
    Arc::new(CatchupProjectionFeed::with_hold(view, Filter::all(), events, views.checkpoints(), hold).unwrap())
}

async fn guarded(views: &InMemoryViews) -> SharedRepository<List> {
    views.open::<List>(&SourceName::default()).await.unwrap()
}

async fn others_run() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(10), future).await.expect("it should not take so long")
}

fn entries(lists: &Lists, id: &str) -> Vec<i64> {
    lists.peek(&id.to_owned()).map(|list| list.entries).unwrap_or_default()
}

// spec: B13, P10
#[test]
fn a_reader_that_is_cancelled_is_not_taken_for_the_end_of_the_history() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (views, events) = (InMemoryViews::new(), Slow::new(&turns(30), 4));
    events.close(1);
    let feed = runtime
        .block_on(async { slow_feed(guarded(&views).await, options(1000), &events, &views, Hold::default()) });
    let handle = runtime.handle().clone();
    let run = std::thread::spawn(move || handle.block_on(feed.catch_up()));
    std::thread::sleep(Duration::from_millis(100));
    runtime.shutdown_background();
    drop(run.join());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    assert_eq!(runtime.block_on(checkpoint(&views)), None);
}

/// Stops the feed when `a` is saved, or answers for an id that it was not asked for.
struct Meddling {
    inner: Lists,
    feed: Arc<OnceLock<Arc<CatchupProjectionFeed>>>,
    misplaces: bool,
}

#[async_trait]
impl ViewStateRepository<List, String> for Meddling {
    async fn find_by_id(&self, id: &String) -> Result<Option<List>, StoreError> {
        self.inner.find_by_id(id).await
    }

    async fn save(&self, id: &String, state: &List) -> Result<(), StoreError> {
        if let Some(feed) = self.feed.get().filter(|_| id == "a" && entries(&self.inner, "a").is_empty()) {
            feed.stop();
        }
        self.inner.save(id, state).await
    }

    async fn delete(&self, id: &String) -> Result<(), StoreError> {
        self.inner.delete(id).await
    }

    async fn find_all_by_id(&self, ids: &[String]) -> Result<Vec<(usize, List)>, StoreError> {
        if self.misplaces { Ok(vec![(ids.len(), List::default())]) } else { self.inner.find_all_by_id(ids).await }
    }
}

// spec: P12
#[tokio::test]
async fn a_batch_that_is_being_written_one_by_one_is_written_to_its_end_when_a_stop_comes() {
    let (lists, views, events) = (Lists::new(), InMemoryViews::new(), turns(6));
    let stopper = Arc::new(OnceLock::new());
    let home = Meddling { inner: lists.clone(), feed: Arc::clone(&stopper), misplaces: false };
    let retrying = uncached(1000).to_builder().retry(RetryStrategy::fixed(Duration::ZERO)).build().unwrap();
    let feed = Arc::new(feed_into(Arc::new(home), retrying, &events, &views));
    assert!(stopper.set(Arc::clone(&feed)).is_ok());
    assert!(matches!(feed.catch_up().await, Err(FeedError::Stopped { .. })));
    feed.catch_up().await.unwrap();
    for (id, expected) in [("a", [0, 3]), ("b", [1, 4]), ("c", [2, 5])] {
        assert_eq!(entries(&lists, id), expected);
    }
}

#[tokio::test]
async fn a_poll_that_is_dropped_doubles_nothing() {
    let (lists, views, history) = (Lists::new(), InMemoryViews::new(), turns(0));
    let events = Slow::new(&history, 2);
    let feed = slow_feed(repository(&lists), uncached(1000), &events, &views, Hold::default());
    feed.catch_up().await.unwrap();
    history.record("s", (1..=6).map(|entry| added("a", entry))).unwrap();
    events.close(1);
    tokio::time::timeout(Duration::from_millis(50), feed.poll()).await.unwrap_err();
    events.open();
    feed.accept(offered("x", "a", 99)).await.unwrap();
    feed.poll().await.unwrap();
    assert_eq!(entries(&lists, "a"), [99, 1, 2, 3, 4, 5, 6]);
}

#[tokio::test]
async fn a_view_whose_checkpoint_was_removed_begins_anew() {
    let (lists, views, events) = (Lists::new(), InMemoryViews::new(), turns(6));
    let feed = feed_into(repository(&lists), options(5), &events, &views);
    feed.catch_up().await.unwrap();
    feed.stop();
    for id in ["a", "b", "c"] {
        lists.delete(&id.to_owned()).await.unwrap();
    }
    views.checkpoints().remove("lists", 1).await.unwrap();
    feed.catch_up().await.unwrap();
    assert_eq!(entries(&lists, "a"), [0, 3]);
}

#[tokio::test]
async fn what_was_mended_in_the_store_while_the_feed_was_stopped_is_not_overwritten() {
    let (lists, views, events) = (Lists::new(), InMemoryViews::new(), turns(6));
    let feed = feed_into(repository(&lists), options(5), &events, &views);
    feed.catch_up().await.unwrap();
    feed.stop();
    lists.save(&"a".to_owned(), &List { entries: vec![1000] }).await.unwrap();
    events.record("s", [added("a", 50)]).unwrap();
    feed.catch_up().await.unwrap();
    assert_eq!(entries(&lists, "a"), [1000, 50]);
}

// spec: P21
#[tokio::test]
async fn a_poll_that_ends_after_a_new_start_leaves_that_alone() {
    let (views, history) = (InMemoryViews::new(), turns(3));
    let events = Slow::new(&history, 5000);
    let feed = slow_feed(guarded(&views).await, options(5), &events, &views, Hold::default());
    feed.catch_up().await.unwrap();
    events.close(0);
    history.record("s", [added("a", 10)]).unwrap();
    let poll = tokio::spawn({
        let feed = Arc::clone(&feed);
        async move { feed.poll().await }
    });
    others_run().await;
    feed.stop();
    let run = tokio::spawn({
        let feed = Arc::clone(&feed);
        async move { feed.catch_up().await }
    });
    let mut held = feed.accept(offered("x", "a", 77)).await;
    while !matches!(held, Ok(Accepted::Held | Accepted::Applied)) {
        tokio::task::yield_now().await;
        held = feed.accept(offered("x", "a", 77)).await;
    }
    events.open();
    drop(within(poll).await);
    within(run).await.unwrap().unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [0, 10, 77]);
}

// spec: B16
#[tokio::test]
async fn a_widened_filter_is_seen_and_a_misspelt_name_is_refused() {
    let (views, events) = (InMemoryViews::new(), InMemoryEventStore::new());
    events.record("s", [added("a", 1), removed("a")]).unwrap();
    let lists = guarded(&views).await;
    let feed = |filter: Filter| {
        let view = ProjectionView::<List>::new(Arc::clone(&lists));
        CatchupProjectionFeed::new(view, filter, Arc::new(events.clone()), views.checkpoints())
    };
    feed(Filter::all().with_names(["Added"])).unwrap().catch_up().await.unwrap();
    let refused = feed(Filter::all()).unwrap().catch_up().await.unwrap_err();
    assert!(matches!(refused, FeedError::ChangedHandlers { .. }), "{refused}");
    let misspelt = feed(Filter::all().with_names(["Aded"])).unwrap_err();
    assert!(misspelt.to_string().contains("its filter names `Aded`"), "{misspelt}");
}

/// Answers for no change at all.
struct Mute(SharedRepository<List>);

#[async_trait]
impl ViewStateRepository<List, String> for Mute {
    async fn find_by_id(&self, id: &String) -> Result<Option<List>, StoreError> {
        self.0.find_by_id(id).await
    }
    async fn save(&self, id: &String, state: &List) -> Result<(), StoreError> {
        self.0.save(id, state).await
    }
    async fn delete(&self, id: &String) -> Result<(), StoreError> {
        self.0.delete(id).await
    }
    fn guarded(&self) -> Option<&dyn GuardedRepository<List, String>> {
        Some(self)
    }
}

#[async_trait]
impl GuardedRepository<List, String> for Mute {
    async fn load(&self, ids: &[String]) -> Result<Vec<(usize, Stored<List>)>, StoreError> {
        self.0.guarded().unwrap().load(ids).await
    }
    async fn commit(&self, _: Commit<'_, List, String>) -> Committed {
        Committed { outcomes: Vec::new(), checkpoint: projection_core::store::CheckpointOutcome::NotJoined }
    }
    async fn checkpoint_passed(&self, _: Position) -> Result<(), StoreError> {
        Ok(())
    }
}

#[tokio::test]
async fn answers_of_the_wrong_length_are_not_believed() {
    let (views, events) = (InMemoryViews::new(), turns(3));
    let mute = Arc::new(Mute(guarded(&views).await));
    let error = feed_into(mute, options(5), &events, &views).catch_up().await.unwrap_err();
    assert!(matches!(&error, FeedError::Write { source, .. } if source.to_string().contains("answered for 0")));
    assert_eq!(checkpoint(&views).await, None);

    let home = Meddling { inner: Lists::new(), feed: Arc::default(), misplaces: true };
    let error = feed_into(Arc::new(home), options(5), &events, &views).catch_up().await.unwrap_err();
    assert!(
        matches!(&error, FeedError::Write { source, .. } if source.to_string().contains("place 3")),
        "{error:?}"
    );

    let forgetful = Slow { forgets: true, ..Slow::new(&turns(0), 10) };
    let feed = slow_feed(guarded(&views).await, options(5), &forgetful, &views, Hold::default());
    feed.catch_up().await.unwrap();
    assert!(feed.accept(offered("x", "a", 7)).await.is_err());
}

// spec: B14
#[tokio::test]
async fn an_offered_event_that_cannot_be_decoded_is_its_callers_mistake_and_the_feed_goes_on() {
    for on_poison in [OnPoison::Fail, OnPoison::Skip] {
        let (views, events) = (InMemoryViews::new(), turns(0));
        let options = options(5).to_builder().on_poison(on_poison).build().unwrap();
        let feed = guarded_feed(options, &events, &views).await;
        feed.catch_up().await.unwrap();
        let bad = OfferedEvent::new(Offered::new("app", "bad", "s"), "Added", serde_json::json!({"to": 5}));
        let error = feed.accept(bad).await.unwrap_err();
        assert!(matches!(error, FeedError::Offered { .. }), "{error}");
        feed.accept(offered("x", "a", 7)).await.unwrap();
        assert_eq!(stored(&views, "a").unwrap(), [7]);
    }
}

// spec: P21
#[tokio::test]
async fn live_offers_are_bounded_and_who_gives_up_leaves_nothing_behind() {
    let (views, history) = (InMemoryViews::new(), turns(0));
    let events = Slow::new(&history, 5000);
    let feed = slow_feed(guarded(&views).await, options(5), &events, &views, Hold::Refuse(2));
    feed.catch_up().await.unwrap();
    events.close(0);
    history.record("s", [added("a", 9).with_id("nine")]).unwrap();
    let first = tokio::spawn({
        let feed = Arc::clone(&feed);
        async move { feed.accept(offered("nine", "a", 9)).await }
    });
    others_run().await;
    for entry in 0..500 {
        let offer = feed.accept(offered(&entry.to_string(), "a", entry));
        tokio::time::timeout(Duration::from_micros(10), offer).await.unwrap_err();
    }
    events.open();
    within(first).await.unwrap().unwrap();
    feed.accept(offered("last", "a", -1)).await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [9, -1]);
}

#[tokio::test]
async fn a_stop_ends_a_catch_up_whose_store_does_not_answer() {
    let (views, events) = (InMemoryViews::new(), Slow::new(&turns(3), 10));
    events.close(0);
    let feed = slow_feed(guarded(&views).await, options(5), &events, &views, Hold::default());
    let (ended, ()) = within(async {
        tokio::join!(feed.catch_up(), async {
            others_run().await;
            feed.stop();
        })
    })
    .await;
    assert!(matches!(ended, Err(FeedError::Stopped { .. })));
}

// spec: B2
#[tokio::test]
async fn skipped_events_fill_a_batch_too() {
    let (views, events) = (InMemoryViews::new(), InMemoryEventStore::new());
    let odd = || projection_core::memory::NewEvent::from_json("Added", r#"{"to": 5}"#);
    events.record("s", (0..30).map(|_| odd())).unwrap();
    let options = options(10).to_builder().on_poison(OnPoison::Skip).build().unwrap();
    let feed = guarded_feed(options, &events, &views).await;
    feed.catch_up().await.unwrap();
    assert_eq!(feed.progress().borrow().batches, 3);
}

#[tokio::test]
async fn a_failed_feed_says_so_when_it_is_polled() {
    let (lists, views, events) = (Lists::new(), InMemoryViews::new(), turns(0));
    let feed = feed_into(repository(&lists), options(5), &events, &views);
    feed.catch_up().await.unwrap();
    lists.fail_next("save_all", StoreError::permanent("disk full"));
    assert!(feed.accept(offered("x", "a", 1)).await.is_err());
    assert!(matches!(feed.poll().await, Err(FeedError::Write { .. })));
}

#[tokio::test]
async fn a_pause_with_a_resume_right_behind_it_returns() {
    let events = Slow::new(&turns(300), 5000);
    events.close(0);
    let runtime =
        ProjectionRuntime::builder(events.clone(), InMemoryViews::new()).register::<List>().start().await.unwrap();
    others_run().await;
    within(async {
        tokio::join!(runtime.pause("lists"), async {
            tokio::task::yield_now().await;
            runtime.resume("lists").unwrap();
            events.open();
        })
    })
    .await
    .0
    .unwrap();
    within(runtime.caught_up()).await.unwrap();
}

#[tokio::test]
async fn a_resume_is_seen_at_once_and_one_too_many_changes_nothing() {
    let home = RecordingRepository::<List, String>::new();
    home.fail_next("save_all", StoreError::permanent("disk full"));
    let events = turns(6);
    let runtime = ProjectionRuntime::builder(events.clone(), InMemoryViews::new())
        .register_in::<List>(Arc::new(home.clone()), |options| options)
        .poll_interval(Duration::from_millis(1))
        .start()
        .await
        .unwrap();
    assert!(within(runtime.caught_up()).await.is_err());
    runtime.resume("lists").unwrap();
    within(runtime.caught_up()).await.unwrap();

    runtime.resume("lists").unwrap();
    home.fail_next("save_all", StoreError::permanent("disk full"));
    events.record("s", [added("a", 1)]).unwrap();
    let mut progress = runtime.progress().remove(0);
    within(progress.wait_for(|progress| progress.phase == Phase::Failed)).await.unwrap();
    others_run().await;
    assert_eq!(runtime.list()[0].progress.phase, Phase::Failed);
}

#[tokio::test]
async fn a_stop_at_the_moment_of_becoming_live_is_not_lost() {
    for spins in 0..3000_u32 {
        let runtime =
            ProjectionRuntime::builder(turns(0), InMemoryViews::new()).register::<List>().start().await.unwrap();
        for _ in 0..spins % 12 {
            tokio::task::yield_now().await;
        }
        within(runtime.pause("lists")).await.unwrap();
        assert_eq!(runtime.list()[0].progress.phase, Phase::Stopped);
    }
}

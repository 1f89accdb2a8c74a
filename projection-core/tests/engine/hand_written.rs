//! Views written by hand, and the hooks of a replay.

use std::sync::{
    Arc, Mutex, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use projection_core::{
    CheckpointStorage, EventMetadata, FeedError, Filter, StoreError,
    feed::{CatchupProjectionFeed, FlushDuringReplay, MaterializedView, ReplayAware},
    memory::{InMemoryCheckpoints, InMemoryEventStore},
};

use crate::support::{Added, added, turns};

/// Logs what it is told; `aware` and `flushes` say which hooks it offers.
#[derive(Default)]
struct Logging {
    log: Mutex<Vec<String>>,
    aware: bool,
    flushes: bool,
    fail_at: Option<i64>,
    fail_completed: AtomicBool,
    panic_completed: AtomicBool,
    panic_started: AtomicBool,
    stop_at: Option<i64>,
    feed: OnceLock<Arc<CatchupProjectionFeed>>,
    panic_abandoned: bool,
}

impl Logging {
    fn say(&self, line: impl Into<String>) {
        self.log.lock().unwrap().push(line.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.log.lock().unwrap())
    }
}

#[async_trait]
impl MaterializedView for Logging {
    type Event = Added;

    fn name(&self) -> &'static str {
        "logging"
    }

    async fn update(&self, event: &Added, _: &EventMetadata) -> Result<(), StoreError> {
        if self.fail_at == Some(event.entry) {
            return Err(StoreError::permanent("no"));
        }
        self.say(event.entry.to_string());
        if self.stop_at == Some(event.entry) {
            self.feed.get().unwrap().stop();
        }
        Ok(())
    }

    fn replay_aware(&self) -> Option<&dyn ReplayAware> {
        self.aware.then_some(self)
    }
}

#[async_trait]
impl ReplayAware for Logging {
    fn replay_started(&self) {
        self.say("started");
        assert!(!self.panic_started.swap(false, Ordering::Relaxed), "starting failed");
    }

    async fn replay_completed(&self) -> Result<(), StoreError> {
        self.say("completed");
        assert!(!self.panic_completed.swap(false, Ordering::Relaxed), "completing failed");
        if self.fail_completed.load(Ordering::Relaxed) { Err(StoreError::permanent("full")) } else { Ok(()) }
    }

    fn replay_abandoned(&self) {
        self.say("abandoned");
        assert!(!self.panic_abandoned, "abandoning failed");
    }

    fn flush(&self) -> Option<&dyn FlushDuringReplay> {
        self.flushes.then_some(self)
    }
}

#[async_trait]
impl FlushDuringReplay for Logging {
    async fn flush(&self) -> Result<(), StoreError> {
        self.say("flush");
        Ok(())
    }
}

struct Fixture {
    view: Arc<Logging>,
    events: InMemoryEventStore,
    checkpoints: Arc<InMemoryCheckpoints>,
}

impl Fixture {
    fn new(view: Logging, events: i64) -> Self {
        Self { view: Arc::new(view), events: turns(events), checkpoints: Arc::new(InMemoryCheckpoints::new()) }
    }

    fn feed(&self) -> CatchupProjectionFeed {
        let events = Arc::new(self.events.clone());
        CatchupProjectionFeed::new(Arc::clone(&self.view), Filter::all(), events, self.checkpoints.clone()).unwrap()
    }

    async fn checkpoint(&self) -> Option<(i64, bool)> {
        let all = self.checkpoints.load("logging").await.unwrap();
        all.first().map(|checkpoint| (checkpoint.position.as_i64(), checkpoint.caught_up))
    }
}

// spec: P7
#[tokio::test]
async fn a_view_without_hooks_is_written_once_per_event() {
    let fixture = Fixture::new(Logging::default(), 4);
    fixture.feed().catch_up().await.unwrap();
    assert_eq!(fixture.view.take(), ["0", "1", "2", "3"]);
    assert_eq!(fixture.checkpoint().await, Some((4, true)));
}

// spec: P7, P22
#[tokio::test]
async fn hooks_surround_the_history_and_a_restart_calls_none() {
    let fixture = Fixture::new(Logging { aware: true, ..Logging::default() }, 2);
    fixture.feed().catch_up().await.unwrap();
    assert_eq!(fixture.view.take(), ["started", "0", "1", "completed"]);
    fixture.events.record("s", [added("a", 7)]).unwrap();
    fixture.feed().catch_up().await.unwrap();
    assert_eq!(fixture.view.take(), ["7"]);
    assert_eq!(fixture.checkpoint().await, Some((3, true)));
}

// spec: P7, P13
#[tokio::test]
async fn nothing_is_recorded_before_completed_returned_ok_and_its_failure_abandons() {
    let fixture = Fixture::new(Logging { aware: true, fail_completed: true.into(), ..Logging::default() }, 2);
    let feed = fixture.feed();
    let error = feed.catch_up().await.unwrap_err();
    assert!(matches!(error, FeedError::ReplayCompleted { .. }), "{error}");
    assert_eq!(fixture.checkpoint().await, None);
    assert_eq!(fixture.view.take(), ["started", "0", "1", "completed", "abandoned"]);

    fixture.view.fail_completed.store(false, Ordering::Relaxed);
    feed.catch_up().await.unwrap();
    assert_eq!(fixture.view.take(), ["started", "0", "1", "completed"], "the whole history again");
    assert_eq!(fixture.checkpoint().await, Some((2, true)));
}

// spec: P7, B12
#[tokio::test]
async fn a_view_that_can_flush_gets_checkpoints_during_its_replay() {
    let fixture =
        Fixture::new(Logging { aware: true, flushes: true, fail_at: Some(1500), ..Logging::default() }, 1600);
    assert!(fixture.feed().catch_up().await.is_err());
    let log = fixture.view.take();
    assert_eq!(log.iter().filter(|line| *line == "flush").count(), 1);
    assert_eq!(log.last().unwrap(), "abandoned");
    assert_eq!(fixture.checkpoint().await, Some((1000, false)));
}

// spec: P12, P13
#[tokio::test]
async fn a_failing_replay_abandoned_never_hides_the_first_error() {
    let view = Logging { aware: true, fail_at: Some(1), panic_abandoned: true, ..Logging::default() };
    let fixture = Fixture::new(view, 2);
    let error = fixture.feed().catch_up().await.unwrap_err();
    assert!(matches!(&error, FeedError::Write { source, .. } if source.to_string() == "no"), "{error:?}");
    assert_eq!(fixture.view.take(), ["started", "0", "abandoned"]);
    assert_eq!(fixture.checkpoint().await, None);
}

// spec: P12
#[tokio::test]
async fn a_stop_between_two_events_doubles_neither() {
    let fixture = Fixture::new(Logging { stop_at: Some(1), ..Logging::default() }, 4);
    let feed = Arc::new(fixture.feed());
    assert!(fixture.view.feed.set(Arc::clone(&feed)).is_ok());
    assert!(matches!(feed.catch_up().await, Err(FeedError::Stopped { .. })));
    assert_eq!(fixture.checkpoint().await, Some((2, false)));
    feed.catch_up().await.unwrap();
    assert_eq!(fixture.view.take(), ["0", "1", "2", "3"]);
}

// spec: P13, B22
#[tokio::test]
async fn a_hook_that_panics_is_the_feeds_failure_and_it_can_be_started_again() {
    let fixture = Fixture::new(Logging { aware: true, panic_completed: true.into(), ..Logging::default() }, 2);
    let feed = fixture.feed();
    let error = feed.catch_up().await.unwrap_err();
    assert!(
        matches!(&error, FeedError::Panicked { message, .. } if message.contains("completing failed")),
        "{error}"
    );
    assert!(feed.failure().is_some());
    assert_eq!(fixture.view.take(), ["started", "0", "1", "completed", "abandoned"]);
    feed.catch_up().await.unwrap();
    assert_eq!(fixture.checkpoint().await, Some((2, true)));
}

#[tokio::test]
async fn after_a_start_that_panicked_checkpoints_are_stored_again() {
    let fixture = Fixture::new(Logging { aware: true, panic_started: true.into(), ..Logging::default() }, 2);
    let feed = fixture.feed();
    assert!(matches!(feed.catch_up().await, Err(FeedError::Panicked { .. })));
    feed.go_live().await.unwrap();
    fixture.events.record("s", [added("a", 7)]).unwrap();
    feed.poll().await.unwrap();
    assert_eq!(fixture.checkpoint().await, Some((3, false)));
}

#[tokio::test]
async fn flush_is_called_in_a_replay_only() {
    let fixture = Fixture::new(Logging { aware: true, flushes: true, ..Logging::default() }, 2);
    let feed = fixture.feed();
    feed.catch_up().await.unwrap();
    assert_eq!(fixture.view.take(), ["started", "0", "1", "flush", "completed"]);
    fixture.events.record("s", [added("a", 7)]).unwrap();
    feed.poll().await.unwrap();
    assert_eq!(fixture.view.take(), ["7"]);
}

// spec: B40
#[tokio::test]
async fn progress_does_not_go_backwards_when_an_abandoned_replay_is_started_again() {
    let fixture = Fixture::new(Logging { aware: true, fail_at: Some(1500), ..Logging::default() }, 1600);
    let feed = fixture.feed();
    let mut progress = feed.progress();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let watching = tokio::spawn({
        let seen = Arc::clone(&seen);
        async move {
            while progress.changed().await.is_ok() {
                let now = progress.borrow_and_update().clone();
                seen.lock().unwrap().push((now.phase, now.position));
            }
        }
    });
    for _ in 0..2 {
        assert!(feed.catch_up().await.is_err());
        // A watch shows the latest value only: the end of the first run must be seen before the second begins.
        while seen.lock().unwrap().last().map(|(phase, _)| *phase) != Some(projection_core::Phase::Failed) {
            tokio::task::yield_now().await;
        }
    }
    drop(feed);
    watching.await.unwrap();
    for pair in seen.lock().unwrap().windows(2) {
        assert!(pair[0].0 != pair[1].0 || pair[0].1 <= pair[1].1, "{pair:?}");
    }
}

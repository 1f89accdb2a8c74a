//! Parked instances: passed over while the others go on, also after a restart, until they are released.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use projection_core::{
    FeedError, Handlers, OnPoison, Phase, Projection, ProjectionRuntime, ViewStore,
    memory::{InMemoryEventStore, InMemoryViews},
    runtime::ReleaseError,
};

use crate::support::{Added, added};

/// Lists, whose handler panics at one entry: a fault that a new build would mend. A macro, so that each test has its
/// own fault.
macro_rules! fragile {
    ($name:ident, $fault:ident, $at:literal) => {
        static $fault: AtomicI64 = AtomicI64::new($at);

        struct $name;

        impl Projection for $name {
            type State = Vec<i64>;
            type Id = String;
            const NAME: &'static str = "fragile";

            fn handlers<H: Handlers<Self>>(handlers: &mut H) {
                handlers.on::<Added>(
                    |event, _, keys| keys.add(&event.to),
                    |list, event, _, id| {
                        let fault = $fault.load(Ordering::Relaxed);
                        list.get_or_insert_default().push(event.entry);
                        assert!(
                            !(id == "bad" && event.entry >= fault && event.entry % 10 == fault % 10),
                            "at {fault}"
                        );
                    },
                );
            }
        }
    };
}

const NEVER: i64 = 1_000_001;

async fn start<P: Projection<Id = String, State = Vec<i64>>>(
    events: &InMemoryEventStore,
    views: &InMemoryViews,
    batch_size: usize,
    max: usize,
) -> ProjectionRuntime {
    ProjectionRuntime::builder(events.clone(), views.clone())
        .register_with::<P>(move |options| options.batch_size(batch_size).on_poison(OnPoison::Park { max }))
        .poll_interval(Duration::from_millis(1))
        .start()
        .await
        .unwrap()
}

fn history() -> InMemoryEventStore {
    let events = InMemoryEventStore::new();
    events.record("s", (1..=6).map(|entry| added("bad good", entry))).unwrap();
    events
}

fn list<P: Projection<Id = String, State = Vec<i64>>>(views: &InMemoryViews, id: &str) -> Vec<i64> {
    views.get::<P>(&id.to_owned()).unwrap().unwrap_or_default()
}

async fn at(runtime: &ProjectionRuntime, position: i64) {
    let mut progress = runtime.progress().remove(0);
    let there = progress.wait_for(|progress| progress.position.as_i64() >= position);
    tokio::time::timeout(Duration::from_secs(20), there).await.expect("it should get there").unwrap();
}

fragile!(Restarted, RESTARTED, 3);

// spec: B14
#[tokio::test]
async fn a_parked_instance_is_passed_over_also_after_a_restart_and_joins_when_released() {
    for batch_size in [1, 2, 4, 100] {
        RESTARTED.store(3, Ordering::Relaxed);
        let (events, views) = (history(), InMemoryViews::new());
        let runtime = start::<Restarted>(&events, &views, batch_size, 5).await;
        runtime.caught_up().await.unwrap();
        assert_eq!(list::<Restarted>(&views, "good"), [1, 2, 3, 4, 5, 6], "the others go on");
        assert_eq!(list::<Restarted>(&views, "bad"), [1, 2], "batch size {batch_size}");
        let parked = runtime.parked("fragile").await.unwrap();
        assert_eq!((parked[0].instance.as_str(), parked[0].from.as_i64()), ("\"bad\"", 3));
        assert!(parked[0].cause.contains("at 3"));
        runtime.shutdown().await;

        let runtime = start::<Restarted>(&events, &views, batch_size, 5).await;
        runtime.caught_up().await.unwrap();
        events.record("s", [added("bad good", 7)]).unwrap();
        at(&runtime, 7).await;
        assert_eq!(list::<Restarted>(&views, "bad"), [1, 2], "it is parked after a restart, too");

        let again = runtime.release("fragile", "\"bad\"").await.unwrap_err();
        assert!(matches!(&again, ReleaseError::ParkedAgain(parked) if parked.from.as_i64() == 3), "{again}");

        RESTARTED.store(NEVER, Ordering::Relaxed);
        runtime.release("fragile", "\"bad\"").await.unwrap();
        assert_eq!(list::<Restarted>(&views, "bad"), [1, 2, 3, 4, 5, 6, 7]);
        assert!(runtime.parked("fragile").await.unwrap().is_empty());
        events.record("s", [added("bad", 8)]).unwrap();
        at(&runtime, 8).await;
        assert_eq!(list::<Restarted>(&views, "bad"), [1, 2, 3, 4, 5, 6, 7, 8]);
        runtime.shutdown().await;
    }
}

fragile!(Dropped, DROPPED, 3);

// spec: B14
#[tokio::test]
async fn a_parked_instance_can_be_released_without_the_event_it_was_parked_for() {
    let (events, views) = (history(), InMemoryViews::new());
    let runtime = start::<Dropped>(&events, &views, 2, 5).await;
    runtime.caught_up().await.unwrap();
    runtime.release_dropping("fragile", "\"bad\"").await.unwrap();
    assert_eq!(list::<Dropped>(&views, "bad"), [1, 2, 4, 5, 6]);
    let skipped = views.checkpoints().skipped("fragile").await.unwrap();
    assert_eq!((skipped.len(), skipped[0].position.as_i64()), (1, 3));
    let unknown = runtime.release("fragile", "\"bad\"").await.unwrap_err();
    assert!(matches!(unknown, ReleaseError::NotParked { .. }), "{unknown}");
}

fragile!(Later, LATER, 13);

// spec: B14
#[tokio::test]
async fn an_event_that_fails_again_during_a_release_parks_the_instance_from_there() {
    let (events, views) = (InMemoryEventStore::new(), InMemoryViews::new());
    events.record("s", [1, 13, 14, 23, 24].map(|entry| added("bad", entry))).unwrap();
    let runtime = start::<Later>(&events, &views, 2, 5).await;
    runtime.caught_up().await.unwrap();
    let again = runtime.release_dropping("fragile", "\"bad\"").await.unwrap_err();
    assert!(matches!(&again, ReleaseError::ParkedAgain(parked) if parked.from.as_i64() == 4), "{again}");
    assert_eq!(list::<Later>(&views, "bad"), [1, 14]);
    runtime.release_dropping("fragile", "\"bad\"").await.unwrap();
    assert_eq!(list::<Later>(&views, "bad"), [1, 14, 24]);
}

fragile!(Bounded, BOUNDED, 3);

// spec: B14
#[tokio::test]
async fn at_the_bound_the_projection_stops() {
    let (events, views) = (history(), InMemoryViews::new());
    let runtime = start::<Bounded>(&events, &views, 100, 0).await;
    let error = runtime.caught_up().await.unwrap_err();
    assert!(
        matches!(&error, FeedError::Poison { source, .. } if source.to_string().contains("0 instances are parked"))
    );
    assert_eq!(runtime.list()[0].progress.phase, Phase::Failed);
    let refused = runtime.release("fragile", "\"bad\"").await.unwrap_err();
    assert!(matches!(refused, ReleaseError::NotParked { .. }), "{refused}");
}

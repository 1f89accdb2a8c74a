//! Many views, one scan: what is read for one is taken by all, and each has exactly its own events.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use projection_core::{
    EventRef, EventSet, EventStore, EventVisitor, Filter, Handlers, Position, Projection, ProjectionRuntime,
    StoreError,
    memory::{InMemoryEventStore, InMemoryPage, InMemoryViews},
    store::{SourceName, Window},
};

use crate::support::{Added, Removed, added, removed, turns};

/// Counts the reads; pages have ten events at the most.
#[derive(Clone)]
struct Counted {
    events: InMemoryEventStore,
    reads: Arc<AtomicUsize>,
}

impl Counted {
    fn of(events: InMemoryEventStore) -> Self {
        Self { events, reads: Arc::default() }
    }

    fn reads(&self) -> usize {
        self.reads.swap(0, Ordering::Relaxed)
    }
}

#[async_trait]
impl EventStore for Counted {
    type Page = InMemoryPage;

    fn source(&self) -> SourceName {
        self.events.source()
    }

    async fn mark(&self) -> Result<Position, StoreError> {
        self.events.mark().await
    }

    async fn read(&self, window: Window, filter: &Filter, limit: usize) -> Result<InMemoryPage, StoreError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        tokio::task::yield_now().await;
        self.events.read(window, filter, limit.min(10)).await
    }

    async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError> {
        self.events.locate(events).await
    }
}

/// Both events, as one type.
enum Either {
    Added(Added),
    Removed,
}

impl EventSet for Either {
    const TYPES: &'static [projection_core::EventType] =
        &[projection_core::EventType::of::<Added>(), projection_core::EventType::of::<Removed>()];

    fn visit<V: EventVisitor<Self>>(visitor: &mut V) {
        visitor.event::<Added>(Either::Added);
        visitor.event::<Removed>(|_| Either::Removed);
    }
}

/// A view of its own for each name, which sums entries by list.
macro_rules! sums {
    ($type:ident, $name:literal) => {
        struct $type;

        impl Projection for $type {
            type State = Vec<i64>;
            type Id = String;
            const NAME: &'static str = $name;

            fn handlers<H: Handlers<Self>>(handlers: &mut H) {
                handlers.on::<Added>(
                    |event, _, keys| keys.add(&event.to),
                    |list, event, _, _| list.get_or_insert_default().push(event.entry),
                );
            }
        }
    };
}

sums!(First, "first");
sums!(Second, "second");
sums!(Third, "third");

/// Takes the same events as the others, as another type, and one event more.
struct Log;

impl Projection for Log {
    type State = Vec<i64>;
    type Id = String;
    const NAME: &'static str = "log";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers.on::<Either>(
            |_, _, keys| keys.add("all".to_owned()),
            |list, event, _, _| {
                list.get_or_insert_default().push(match event {
                    Either::Added(added) => added.entry,
                    Either::Removed => -1,
                });
            },
        );
    }
}

async fn start(events: &Counted, views: &InMemoryViews) -> ProjectionRuntime {
    let runtime = ProjectionRuntime::builder(events.clone(), views.clone())
        .register_with::<First>(|options| options.batch_size(7))
        .register_with::<Second>(|options| options.batch_size(25).memory_budget(1 << 20))
        .register::<Third>()
        .register::<Log>()
        .poll_interval(Duration::from_millis(1))
        .start()
        .await
        .unwrap();
    tokio::time::timeout(Duration::from_secs(20), runtime.caught_up()).await.unwrap().unwrap();
    runtime
}

fn list<P: Projection<Id = String, State = Vec<i64>>>(views: &InMemoryViews, id: &str) -> Vec<i64> {
    views.get::<P>(&id.to_owned()).unwrap().unwrap_or_default()
}

fn check(views: &InMemoryViews, entries: i64) {
    let of_a: Vec<_> = (0..entries).filter(|entry| entry % 3 == 0).collect();
    assert_eq!(list::<First>(views, "a"), of_a);
    assert_eq!(list::<Second>(views, "a"), of_a);
    assert_eq!(list::<Third>(views, "a"), of_a);
}

#[tokio::test]
async fn views_that_start_together_share_one_scan() {
    let (events, views) = (Counted::of(turns(300)), InMemoryViews::new());
    events.events.record("s", [removed("z")]).unwrap();
    let runtime = start(&events, &views).await;
    let reads = events.reads();
    assert!((31..40).contains(&reads), "{reads} reads of 10 events; four scans would be 124");
    check(&views, 300);
    let mut all: Vec<i64> = (0..300).collect();
    all.push(-1);
    assert_eq!(list::<Log>(&views, "all"), all);
    runtime.shutdown().await;
}

#[tokio::test]
async fn after_a_stop_at_different_places_one_scan_goes_on() {
    let (events, views) = (Counted::of(turns(100)), InMemoryViews::new());
    let first = ProjectionRuntime::builder(events.clone(), views.clone()).register::<First>();
    let first = first.register::<Second>().start().await.unwrap();
    first.caught_up().await.unwrap();
    first.shutdown().await;
    for entry in 100..400 {
        events.events.record("s", [added(["a", "b", "c"][usize::try_from(entry % 3).unwrap()], entry)]).unwrap();
    }
    events.reads();
    // Two begin at 100, two at 0.
    let runtime = start(&events, &views).await;
    let reads = events.reads();
    assert!((40..55).contains(&reads), "{reads} reads of 10 events; four scans would be 140");
    check(&views, 400);
    runtime.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_view_that_is_paused_in_the_middle_comes_back() {
    let (events, views) = (Counted::of(turns(3000)), InMemoryViews::new());
    let builder = ProjectionRuntime::builder(events.clone(), views.clone()).register::<First>().register::<Third>();
    let runtime = builder.poll_interval(Duration::from_millis(1)).start().await.unwrap();
    runtime.pause("first").await.unwrap();
    let mut third = runtime.progress().remove(1);
    third.wait_for(|progress| progress.position.as_i64() == 3000).await.unwrap();
    runtime.resume("first").unwrap();
    tokio::time::timeout(Duration::from_secs(20), runtime.caught_up()).await.unwrap().unwrap();
    let of_a: Vec<_> = (0..3000).filter(|entry| entry % 3 == 0).collect();
    assert_eq!(list::<First>(&views, "a"), of_a);
    assert_eq!(list::<Third>(&views, "a"), of_a);
    runtime.shutdown().await;
}

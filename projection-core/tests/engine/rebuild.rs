//! A new version of a view is shown when it is as far as the old one, not before.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use projection_core::{
    EventRef, EventStore, Filter, Handlers, Position, Projection, ProjectionRuntime, Singleton, StoreError,
    ViewStore,
    memory::{InMemoryEventStore, InMemoryPage, InMemoryViews},
    runtime::{Rebuild, RebuildError, Rebuilt},
    store::{SourceName, Window},
    testing::RecordingRepository,
};

use crate::support::{Added, turns};

struct Count<const V: u32>;

impl<const V: u32> Projection for Count<V> {
    type State = i64;
    type Id = Singleton;
    const NAME: &'static str = "count";
    const VERSION: u32 = V;

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers.on::<Added>(|_, _, keys| keys.push(Singleton), |count, _, _, _| *count.get_or_insert(0) += 1);
    }
}

/// Can be read up to a limit.
#[derive(Clone)]
struct Behind {
    events: InMemoryEventStore,
    limit: Arc<AtomicU32>,
}

#[async_trait]
impl EventStore for Behind {
    type Page = InMemoryPage;

    fn source(&self) -> SourceName {
        self.events.source()
    }

    async fn mark(&self) -> Result<Position, StoreError> {
        Ok(self.events.mark().await?.min(Position::from(self.limit.load(Ordering::Relaxed))))
    }

    async fn read(&self, window: Window, filter: &Filter, limit: usize) -> Result<InMemoryPage, StoreError> {
        self.events.read(window, filter, limit).await
    }

    async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError> {
        self.events.locate(events).await
    }
}

async fn started<P: Projection, S: EventStore>(events: S, views: &InMemoryViews) -> ProjectionRuntime {
    let builder = ProjectionRuntime::builder(events, views.clone()).poll_interval(Duration::from_millis(1));
    let runtime = builder.register::<P>().start().await.unwrap();
    runtime.caught_up().await.unwrap();
    runtime
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_behind_the_one_that_is_shown_waits() {
    let (events, views) = (turns(30), InMemoryViews::new());
    let _old = started::<Count<1>, _>(events.clone(), &views).await;
    let limit = Arc::new(AtomicU32::new(29));
    let new = started::<Count<2>, _>(Behind { events, limit: Arc::clone(&limit) }, &views).await;
    let rebuild = new.rebuild::<Count<2>>(Rebuild::new().checking(1));
    tokio::pin!(rebuild);
    assert!(tokio::time::timeout(Duration::from_secs(60), &mut rebuild).await.is_err(), "it is one event behind");
    let shown = || async { views.versions("count").unwrap().shown("count").await.unwrap() };
    assert_eq!(shown().await, Some(1));

    limit.store(30, Ordering::Relaxed);
    let switched = tokio::time::timeout(Duration::from_secs(60), rebuild).await.unwrap().unwrap();
    assert_eq!(switched, Rebuilt::Switched { from: Some(1), position: Position::from(30), compared: 1 });
    assert_eq!(shown().await, Some(2));
}

#[tokio::test]
async fn a_view_in_a_repository_of_one_s_own_has_no_versions() {
    let builder = ProjectionRuntime::builder(turns(3), InMemoryViews::new());
    let repository = Arc::new(RecordingRepository::new());
    let runtime = builder.register_in::<Count<1>>(repository, |options| options).start().await.unwrap();
    let error = runtime.rebuild::<Count<1>>(Rebuild::new()).await.unwrap_err();
    assert!(matches!(error, RebuildError::NoVersions { .. }), "{error}");
    let error = runtime.rebuild::<crate::support::List>(Rebuild::new()).await.unwrap_err();
    assert!(matches!(error, RebuildError::Unknown(_)), "{error}");
}

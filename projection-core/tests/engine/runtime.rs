//! The runtime of a service.

use std::{sync::Arc, time::Duration};

use projection_core::{
    EventSet, FeedError, Handlers, MaterializedViewOptions, Phase, Projection, ProjectionRuntime, Singleton,
    memory::{InMemoryEventStore, InMemoryViews},
    runtime::StartError,
    testing::RecordingRepository,
};

use crate::support::{Added, List, added, stored, turns};

/// Counts additions.
struct Count;

impl Projection for Count {
    type State = i64;
    type Id = Singleton;
    const NAME: &'static str = "count";

    fn options() -> MaterializedViewOptions {
        MaterializedViewOptions::new(7).unwrap()
    }

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers.on::<Added>(|_, _, keys| keys.push(Singleton), |count, _, _, _| *count.get_or_insert(0) += 1);
    }
}

/// Panics at its third event.
struct Panics;

impl Projection for Panics {
    type State = i64;
    type Id = Singleton;
    const NAME: &'static str = "panics";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers.on::<Added>(
            |_, _, keys| keys.push(Singleton),
            |count, event, _, _| {
                assert!(event.entry != 2, "three is too many");
                *count.get_or_insert(0) += 1;
            },
        );
    }
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future).await.expect("it should not take so long")
}

// spec: P2
#[tokio::test]
async fn projections_replay_go_live_and_are_read_by_id() {
    let (events, views) = (turns(30), InMemoryViews::new());
    let runtime = ProjectionRuntime::builder(events.clone(), views.clone())
        .register::<Count>()
        .register_with::<List>(|options| options.batch_size(4))
        .poll_interval(Duration::from_millis(1))
        .start()
        .await
        .unwrap();
    within(runtime.caught_up()).await.unwrap();
    assert_eq!(runtime.view::<Count>().unwrap().find(&Singleton).await.unwrap(), Some(30));
    let progress: Vec<_> = runtime.progress().iter().map(|watch| watch.borrow().clone()).collect();
    assert_eq!(progress[0].batches, 5, "30 events in batches of 7, from the attribute");
    assert_eq!(progress[1].batches, 8, "30 events in batches of 4, from the registration");

    events.record("s", [added("a", 99)]).unwrap();
    let mut count = runtime.progress().remove(0);
    within(count.wait_for(|progress| progress.position.as_i64() == 31)).await.unwrap();
    assert_eq!(runtime.view::<Count>().unwrap().find(&Singleton).await.unwrap(), Some(31));
    within(runtime.shutdown()).await;
}

#[tokio::test]
async fn two_projections_with_one_name_are_refused() {
    let refused = ProjectionRuntime::builder(turns(0), InMemoryViews::new())
        .register::<Count>()
        .register::<Count>()
        .start()
        .await
        .unwrap_err();
    assert!(matches!(&refused, StartError::SameName { name } if name == "count"), "{refused}");
}

// spec: P2
#[tokio::test]
async fn a_bad_option_and_an_empty_runtime_are_refused_at_the_start() {
    let start = ProjectionRuntime::builder(turns(0), InMemoryViews::new());
    let refused = start.register_with::<Count>(|options| options.batch_size(0)).start().await.unwrap_err();
    assert!(
        matches!(&refused, StartError::Options { projection, source } if projection == "count" && source.value == "0")
    );
    let empty = ProjectionRuntime::builder(turns(0), InMemoryViews::new()).start().await.unwrap_err();
    assert!(matches!(empty, StartError::Nothing));
}

#[tokio::test]
async fn an_unregistered_view_names_those_there_are() {
    let runtime =
        ProjectionRuntime::builder(turns(0), InMemoryViews::new()).register::<Count>().start().await.unwrap();
    let unknown = runtime.view::<List>().unwrap_err();
    assert_eq!(unknown.to_string(), "no projection named `lists` is registered; there are: count");
    assert!(runtime.pause("nobody").await.is_err());
}

#[tokio::test]
async fn a_panic_in_one_projection_is_its_failure_and_not_the_others() {
    let views = InMemoryViews::new();
    let runtime = ProjectionRuntime::builder(turns(9), views.clone())
        .register::<Panics>()
        .register::<List>()
        .start()
        .await
        .unwrap();
    let error = within(runtime.caught_up()).await.unwrap_err();
    assert!(matches!(&error, FeedError::Poison { projection, .. } if projection == "panics"), "{error}");
    let mut lists = runtime.progress().remove(1);
    within(lists.wait_for(|progress| progress.phase == Phase::Live)).await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [0, 3, 6]);
    let list = runtime.list();
    assert_eq!((list[0].progress.phase, list[1].progress.phase), (Phase::Failed, Phase::Live));
    assert!(list[0].failure.is_some());
    assert!(list[1].failure.is_none());
}

#[tokio::test]
async fn a_paused_projection_takes_nothing_until_it_is_resumed() {
    let (events, views) = (turns(3), InMemoryViews::new());
    let runtime = ProjectionRuntime::builder(events.clone(), views.clone())
        .register::<List>()
        .poll_interval(Duration::from_millis(1))
        .start()
        .await
        .unwrap();
    within(runtime.caught_up()).await.unwrap();
    within(runtime.pause("lists")).await.unwrap();
    events.record("s", [added("a", 50)]).unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(stored(&views, "a").unwrap(), [0]);
    assert_eq!(runtime.list()[0].progress.phase, Phase::Stopped);
    runtime.resume("lists").unwrap();
    let mut lists = runtime.progress().remove(0);
    within(lists.wait_for(|progress| progress.position.as_i64() == 4)).await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [0, 50]);
}

#[tokio::test]
async fn a_pause_right_after_the_start_holds() {
    for _ in 0..50 {
        let views = InMemoryViews::new();
        let runtime =
            ProjectionRuntime::builder(turns(300), views.clone()).register::<List>().start().await.unwrap();
        within(runtime.pause("lists")).await.unwrap();
        let then = runtime.list()[0].progress.clone();
        assert!(matches!(then.phase, Phase::Stopped), "{then:?}");
        tokio::task::yield_now().await;
        assert_eq!(runtime.list()[0].progress, then);
        within(runtime.shutdown()).await;
    }
}

#[tokio::test]
async fn a_view_can_have_a_home_of_its_own() {
    let home = RecordingRepository::<List, String>::new();
    let runtime = ProjectionRuntime::builder(turns(6), InMemoryViews::new())
        .register_in::<List>(Arc::new(home.clone()), |options| options)
        .start()
        .await
        .unwrap();
    within(runtime.caught_up()).await.unwrap();
    assert_eq!(home.len(), 3);
    assert_eq!(runtime.view::<List>().unwrap().find(&"a".to_owned()).await.unwrap().unwrap().entries, [0, 3]);
}

#[tokio::test]
async fn a_failed_projection_goes_on_when_it_is_resumed() {
    let home = RecordingRepository::<List, String>::new();
    home.fail_next("save_all", projection_core::StoreError::permanent("disk full"));
    let runtime = ProjectionRuntime::builder(turns(6), InMemoryViews::new())
        .register_in::<List>(Arc::new(home.clone()), |options| options)
        .start()
        .await
        .unwrap();
    assert!(within(runtime.caught_up()).await.is_err());
    runtime.resume("lists").unwrap();
    let mut lists = runtime.progress().remove(0);
    within(lists.wait_for(|progress| progress.phase == Phase::Live)).await.unwrap();
    assert_eq!(home.peek(&"a".to_owned()).unwrap().entries, [0, 3]);
}

#[tokio::test]
async fn a_runtime_that_is_dropped_leaves_no_task_behind() {
    let (events, views) = (InMemoryEventStore::new(), InMemoryViews::new());
    let runtime = ProjectionRuntime::builder(events.clone(), views.clone())
        .register::<List>()
        .poll_interval(Duration::from_millis(1))
        .start()
        .await
        .unwrap();
    within(runtime.caught_up()).await.unwrap();
    let mut lists = runtime.progress().remove(0);
    drop(runtime);
    events.record("s", [added("a", 1)]).unwrap();
    // The sender goes with the last task.
    while within(lists.changed()).await.is_ok() {}
    assert_eq!(stored(&views, "a"), None);
}

#[tokio::test]
async fn a_runtime_that_is_shared_is_shut_down_by_one_who_shares_it() {
    let views = InMemoryViews::new();
    let runtime = ProjectionRuntime::builder(turns(3), views).register::<List>().start().await.unwrap();
    let runtime = Arc::new(runtime);
    let shared = Arc::clone(&runtime);
    within(runtime.caught_up()).await.unwrap();
    within(runtime.shutdown()).await;
    within(shared.shutdown()).await;
    assert_eq!(shared.list()[0].progress.phase, Phase::Stopped);
    assert!(shared.view::<List>().unwrap().find(&"a".to_owned()).await.unwrap().is_some());
}

#[test]
fn a_single_event_is_a_set_of_one() {
    assert_eq!(<Added as EventSet>::TYPES.len(), 1);
}

//! The server goes away, in a replay and live: the state says so meanwhile, and everything is applied in the end,
//! without a start of the runtime anew.

use std::time::Duration;

use acceptance::{
    notes::{Notes, events, import, is_right},
    progress::{reaches, reaches_phase},
    server::{OwnReplicaSet, OwnServer, TestDatabase},
};
use projection_core::{Phase, Position, ProjectionRuntime, runtime::Health};
use projection_mongo::MongoViews;

/// Of the events that are there at the beginning.
const HISTORY: u32 = 6000;

async fn start(test: &TestDatabase) -> ProjectionRuntime {
    ProjectionRuntime::builder(events(&test.database).await, MongoViews::new(test.database.clone()))
        .register::<Notes>()
        .poll_interval(Duration::from_millis(20))
        .lease(Duration::from_secs(6))
        .start()
        .await
        .unwrap()
}

/// The outage shows: the projection is neither ready nor failed, and says why.
async fn is_seen(runtime: &ProjectionRuntime) {
    reaches_phase(runtime, Phase::Retrying).await;
    let status = runtime.list().remove(0);
    assert!(matches!(status.health, Health::Retrying), "{status:?}");
    assert!(!status.health.is_ready());
}

async fn applied(runtime: &ProjectionRuntime, last: u32) {
    reaches(runtime, &format!("{last}, live"), |progress| {
        progress.phase == Phase::Live && progress.position == Position::from(last)
    })
    .await;
    assert_eq!(runtime.list()[0].health, Health::Ready);
}

/// The server is frozen, then killed, each once in the replay and once live.
async fn outages(server: &OwnServer, test: &TestDatabase) {
    import(&test.database, 1..=HISTORY).await;
    let runtime = start(test).await;

    reaches(&runtime, "500", |progress| progress.position > Position::from(500)).await;
    server.freeze();
    is_seen(&runtime).await;
    assert!(runtime.progress()[0].borrow().position < Position::from(HISTORY), "it was in the replay");
    server.thaw();

    let half = HISTORY / 2;
    reaches(&runtime, "a half", |progress| progress.position > Position::from(half)).await;
    server.kill();
    is_seen(&runtime).await;
    assert!(runtime.progress()[0].borrow().position < Position::from(HISTORY), "it was in the replay");
    assert!(server.start_again().await);
    applied(&runtime, HISTORY).await;

    server.freeze();
    is_seen(&runtime).await;
    server.thaw();
    import(&test.plain().await, HISTORY + 1..=HISTORY + 100).await;
    applied(&runtime, HISTORY + 100).await;

    server.kill();
    is_seen(&runtime).await;
    assert!(server.start_again().await);
    server.takes_writes().await;
    import(&test.plain().await, HISTORY + 101..=HISTORY + 200).await;
    applied(&runtime, HISTORY + 200).await;
    runtime.shutdown().await;
    is_right(test, HISTORY + 200).await;
}

// spec: B33, B41
#[tokio::test]
async fn a_server_that_is_frozen_or_killed_is_waited_for_and_everything_is_applied() {
    let set = OwnReplicaSet::of(1).await;
    outages(set.first(), &set.database().await).await;
}

// spec: B33, B41
#[tokio::test]
async fn the_same_without_a_replica_set() {
    let server = OwnServer::standalone().await;
    outages(&server, &server.impatient_database().await).await;
}

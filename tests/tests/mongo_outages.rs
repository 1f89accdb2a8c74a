//! The server goes away, in a replay and live: the state says so meanwhile, and everything is applied in the end,
//! without a start of the runtime anew.

use std::time::Duration;

use acceptance::server::{OwnReplicaSet, OwnServer, TestDatabase};
use mongodb::Database;
use projection_core::{
    Event, Phase, Position, Progress, ProjectionRuntime, ViewStore as _, projection, runtime::Health,
    store::SourceName,
};
use projection_mongo::{ImportedEvent, MongoEvents, MongoEventsOptions, MongoViews};
use serde::{Deserialize, Serialize};

const LIMIT: Duration = Duration::from_secs(90);
const STREAMS: u32 = 11;
/// Of the events that are there at the beginning.
const HISTORY: u32 = 6000;

#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "Noted")]
struct Noted {
    n: i64,
}

/// Does not commute, and shows what is applied twice.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Notes {
    entries: Vec<i64>,
}

#[projection(name = "notes", batch_size = 20)]
impl Notes {
    #[on]
    fn noted(&mut self, event: &Noted) {
        self.entries.push(event.n);
    }
}

async fn events(database: &Database) -> MongoEvents {
    MongoEvents::open(database, "events", MongoEventsOptions::new()).await.unwrap()
}

async fn append(database: &Database, positions: std::ops::RangeInclusive<u32>) {
    let events_of = positions.map(|n| {
        let stream = format!("s-{}", n % STREAMS);
        ImportedEvent::named("Noted", Position::from(n), stream, &Noted { n: n.into() }).unwrap()
    });
    events(database).await.import(events_of).await.unwrap();
}

async fn start(test: &TestDatabase) -> ProjectionRuntime {
    ProjectionRuntime::builder(events(&test.database).await, MongoViews::new(test.database.clone()))
        .register::<Notes>()
        .poll_interval(Duration::from_millis(20))
        .lease(Duration::from_secs(6))
        .start()
        .await
        .unwrap()
}

async fn reaches(runtime: &ProjectionRuntime, what: &str, is: impl FnMut(&Progress) -> bool) {
    let mut progress = runtime.progress().remove(0);
    if tokio::time::timeout(LIMIT, progress.wait_for(is)).await.is_err() {
        panic!("it should reach {what}: {:?}", runtime.list());
    }
}

/// The outage shows: the projection is neither ready nor failed, and says why.
async fn is_seen(runtime: &ProjectionRuntime) {
    reaches(runtime, "Retrying", |progress| progress.phase == Phase::Retrying).await;
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

/// Each instance is the fold of its events, in their order, each once.
async fn is_right(test: &TestDatabase, last: u32) {
    let views = MongoViews::new(test.plain().await);
    let repository = views.open::<Notes>(&SourceName::default()).await.unwrap();
    for stream in 0..STREAMS {
        let id = projection_core::StreamId::from(format!("s-{stream}"));
        let found = repository.find_by_id(&id).await.unwrap().unwrap_or_default();
        let expected: Vec<i64> = (1..=last).filter(|n| n % STREAMS == stream).map(i64::from).collect();
        assert_eq!(found.entries, expected, "s-{stream}");
    }
}

/// The server is frozen, then killed, each once in the replay and once live.
async fn outages(server: &OwnServer, test: &TestDatabase) {
    append(&test.database, 1..=HISTORY).await;
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
    append(&test.plain().await, HISTORY + 1..=HISTORY + 100).await;
    applied(&runtime, HISTORY + 100).await;

    server.kill();
    is_seen(&runtime).await;
    assert!(server.start_again().await);
    server.takes_writes().await;
    append(&test.plain().await, HISTORY + 101..=HISTORY + 200).await;
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

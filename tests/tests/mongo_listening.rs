//! The change stream that wakes a runtime breaks: it is opened again, and nothing is lost.

use std::time::Duration;

use acceptance::{
    notes::{Noted, Notes, events},
    server::{TestDatabase, with_database},
};
use bson::doc;
use projection_core::{
    ProjectionRuntime, StreamId,
    append::{AppendEvents as _, ExpectedVersion, NewEvent},
    runtime::Health,
};
use projection_mongo::{MongoEvents, MongoViews};

const LIMIT: Duration = Duration::from_secs(60);
/// Only what is told brings an event into a view within the test.
const NEVER: Duration = Duration::from_secs(3600);
/// `ChangeStreamHistoryLost`.
const HISTORY_LOST: i32 = 286;

async fn applied(runtime: &ProjectionRuntime, events: &MongoEvents, n: i64) {
    let event = NewEvent::new(&Noted { n }).unwrap();
    let appended = events.append("s", ExpectedVersion::Any, [event]).await.unwrap();
    runtime.applied::<Notes>(appended.token(), LIMIT).await.unwrap();
}

async fn entries_after(test: &TestDatabase, command: &str, times: u32) -> Vec<i64> {
    let ours = events(&test.database).await;
    let runtime = ProjectionRuntime::builder(ours.clone(), MongoViews::new(test.database.clone()))
        .register::<Notes>()
        .poll_interval(NEVER)
        .start()
        .await
        .unwrap();
    runtime.caught_up().await.unwrap();
    applied(&runtime, &ours, 1).await;
    // The stream is told by the next question that its place in the oplog is gone.
    let lost = test.fail(&["getMore"], 1, doc! { "errorCode": HISTORY_LOST }).await;
    let others = events(&test.plain().await).await;
    applied(&runtime, &others, 2).await;
    lost.was_met().await;
    lost.off().await;
    let again = test.fail(&[command], times, doc! { "errorCode": HISTORY_LOST }).await;
    applied(&runtime, &others, 3).await;
    again.off().await;
    applied(&runtime, &others, 4).await;
    assert_eq!(runtime.list()[0].health, Health::Ready);
    let notes = runtime.view::<Notes>().unwrap().find(&StreamId::from("s")).await.unwrap().unwrap();
    runtime.shutdown().await;
    notes.entries
}

// spec: P23, H9
#[tokio::test]
async fn a_change_stream_whose_history_is_lost_costs_nothing_but_a_line_in_the_log() {
    with_database(|test| async move {
        assert_eq!(entries_after(&test, "getMore", 3).await, [1, 2, 3, 4]);
    })
    .await;
}

// spec: P23, H9
#[tokio::test]
async fn a_change_stream_that_cannot_be_opened_again_at_once_is_opened_later() {
    with_database(|test| async move {
        assert_eq!(entries_after(&test, "aggregate", 3).await, [1, 2, 3, 4]);
    })
    .await;
}

//! Faults in the middle of an append: it is tried again, and its outcome is found out.

use std::time::Duration;

use acceptance::{
    conformance::append::{event, everything},
    server::{FailPoint, TestDatabase, with_database},
};
use bson::{Document, doc};
use projection_core::{
    ErrorKind, EventStore as _, StoreError,
    append::{AppendError, AppendEvents as _, Appended, ExpectedVersion, NewEvent, StreamAppend},
};
use projection_mongo::{MongoError, MongoEvents, MongoEventsOptions};

async fn open(database: &TestDatabase) -> MongoEvents {
    let events = MongoEvents::open(&database.database, "events", MongoEventsOptions::new()).await.unwrap();
    events.append("a", ExpectedVersion::NoStream, [event("0")]).await.unwrap();
    events
}

async fn append(events: &MongoEvents) -> Result<Appended, AppendError> {
    events.append("a", ExpectedVersion::Exact(1), [event("1"), event("2")]).await
}

async fn append_while(events: &MongoEvents, point: FailPoint) -> Result<Appended, AppendError> {
    let appended = append(events).await;
    point.off().await;
    appended
}

/// All are there, once, and the mark covers them.
async fn is_appended_once(events: &MongoEvents, appended: &Appended) {
    assert_eq!(appended.stream_version(), 3);
    assert_eq!(events.mark().await.unwrap(), appended.position());
    let all = everything(events).await;
    assert_eq!(all.iter().map(projection_core::EventMetadata::id).collect::<Vec<_>>(), ["0", "1", "2"]);
    assert_eq!(all[2].position(), appended.position());
    assert!(events.holding().await.unwrap().is_empty());
}

async fn reservations(database: &TestDatabase) -> u64 {
    let positions = database.plain().await.collection::<Document>("events.positions");
    positions.count_documents(doc! { "_id": { "$ne": 0 } }).await.unwrap()
}

fn code(error: &AppendError) -> Option<i32> {
    let AppendError::Store(error) = error else { panic!("{error:?}") };
    error.get_ref().downcast_ref::<MongoError>().and_then(MongoError::code)
}

// spec: B33
#[tokio::test]
async fn an_append_outlives_a_connection_that_breaks_anywhere() {
    for command in ["update", "findAndModify", "find", "delete", "insert", "commitTransaction"] {
        with_database(move |database| async move {
            let events = open(&database).await;
            let point = database.fail(&[command], 1, doc! { "closeConnection": true }).await;
            let appended = append_while(&events, point).await.unwrap_or_else(|error| panic!("{command}: {error}"));
            // A reservation whose answer was lost is taken away when it is two seconds old.
            let marked = async {
                while events.mark().await.unwrap() < appended.position() {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(20), marked).await.unwrap();
            is_appended_once(&events, &appended).await;
        })
        .await;
    }
}

// spec: B33
#[tokio::test]
async fn an_append_outlives_a_step_down() {
    for (command, code) in
        [("insert", 91), ("insert", 10_107), ("findAndModify", 189), ("commitTransaction", 11_602)]
    {
        with_database(move |database| async move {
            let events = open(&database).await;
            let mut how = doc! { "errorCode": code };
            if command == "insert" {
                how.insert("errorLabels", ["TransientTransactionError"]);
            }
            let point = database.fail(&[command], 2, how).await;
            let appended =
                append_while(&events, point).await.unwrap_or_else(|error| panic!("{command} {code}: {error}"));
            assert_eq!(everything(&events).await.len(), 3, "{command} {code}");
            assert_eq!(appended.stream_version(), 3);
        })
        .await;
    }
}

#[tokio::test]
async fn a_commit_whose_answer_stays_lost_is_looked_for_and_found() {
    with_database(|database| async move {
        let events = open(&database).await;
        // It is committed each time; only the answer says that no majority has confirmed it.
        let how = doc! { "writeConcernError": { "code": 64, "errmsg": "waiting for replication timed out" } };
        let point = database.fail(&["commitTransaction"], 50, how).await;
        let appended = append_while(&events, point).await.unwrap();
        is_appended_once(&events, &appended).await;
        assert_eq!(reservations(&database).await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_commit_that_never_came_is_looked_for_and_done_again() {
    with_database(|database| async move {
        let events = open(&database).await;
        // One try of ours is four of the commit, and the driver asks once more each time.
        let point = database.fail(&["commitTransaction"], 8, doc! { "closeConnection": true }).await;
        let appended = append_while(&events, point).await.unwrap();
        is_appended_once(&events, &appended).await;
    })
    .await;
}

#[tokio::test]
async fn an_append_that_stays_unknown_is_settled_by_appending_again() {
    with_database(|database| async move {
        let events = open(&database).await;
        // Nor can it be looked for.
        let how = doc! { "closeConnection": true };
        let point = database.fail(&["commitTransaction", "delete", "find"], 200, how).await;
        let error = append_while(&events, point).await.unwrap_err();
        assert_eq!(StoreError::from(error).kind(), ErrorKind::Transient);
        match append(&events).await {
            Ok(_) | Err(AppendError::Duplicate(_) | AppendError::Conflict { .. }) => {}
            Err(other) => panic!("{other}"),
        }
        assert_eq!(events.load::<Nothing>(&"a".into()).await.unwrap().version, 3);
    })
    .await;
}

#[derive(serde::Deserialize, projection_core::Event)]
#[event(name = "Nothing")]
struct Nothing {}

#[tokio::test]
async fn a_missing_permission_is_permanent_and_leaves_nothing() {
    for command in ["insert", "update", "findAndModify"] {
        with_database(move |database| async move {
            let events = open(&database).await;
            let point = database.fail(&[command], 9, doc! { "errorCode": 13 }).await;
            let error = append_while(&events, point).await.unwrap_err();
            assert_eq!(code(&error), Some(13), "{command}");
            assert_eq!(StoreError::from(error).kind(), ErrorKind::Permanent);
            assert_eq!(reservations(&database).await, 0, "{command}");
            assert_eq!(everything(&events).await.len(), 1);
        })
        .await;
    }
}

#[tokio::test]
async fn an_append_that_others_are_in_the_way_of_waits() {
    with_database(|database| async move {
        let events = open(&database).await;
        let how = doc! { "errorCode": 112, "errorLabels": ["TransientTransactionError"] };
        let point = database.fail(&["insert"], 4, how).await;
        let appended = append_while(&events, point).await.unwrap();
        is_appended_once(&events, &appended).await;
    })
    .await;
}

#[tokio::test]
async fn an_append_goes_on_to_its_end_when_nobody_waits_for_it() {
    with_database(|database| async move {
        let events = open(&database).await;
        for round in 0..30_u64 {
            let three = (0..3).map(|n| event(&format!("{round}-{n}")));
            let append = events.append("b", ExpectedVersion::Any, three);
            let _ = tokio::time::timeout(Duration::from_micros(round * 200), append).await;
        }
        let last = events.append("c", ExpectedVersion::Any, [event("last")]).await.unwrap();
        let until = async {
            while events.mark().await.unwrap() < last.position() || !events.holding().await.unwrap().is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), until).await.unwrap();
        let all = everything(&events).await;
        let in_b = all.iter().filter(|event| event.stream_id().as_str() == "b").count();
        assert_eq!(in_b % 3, 0);
        assert!(in_b >= 3, "{in_b}");
    })
    .await;
}

#[tokio::test]
async fn an_append_of_many_events_is_one_transaction() {
    with_database(|database| async move {
        let events = open(&database).await;
        let text = serde_json::to_string(&"x".repeat(5_000_000)).unwrap();
        let large = (0..3).map(|n| NewEvent::from_json("Large", text.as_str()).with_id(format!("large-{n}")));
        let many = (0..10_500).map(|n| event(&format!("many-{n}")));
        let parts = vec![
            StreamAppend::new("large", ExpectedVersion::NoStream, large),
            StreamAppend::new("many", ExpectedVersion::NoStream, many),
        ];
        let appended = events.append_all(parts).await.unwrap();
        assert_eq!(appended.version_of(&"many".into()), Some(10_500));
        assert_eq!(events.mark().await.unwrap(), appended.position());
        assert_eq!(everything(&events).await.len(), 10_504);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_stored_is_refused_naming_the_event() {
    with_database(|database| async move {
        let events = open(&database).await;
        let large = serde_json::to_string(&"x".repeat(17 << 20)).unwrap();
        for (data, cause) in [
            ("{", "its data: EOF while parsing"),
            ("[9223372036854775808]", "its data: 9223372036854775808 is past 9223372036854775807"),
            (r#"{"\u0000":1}"#, "has a zero byte in its name"),
            (large.as_str(), "and a document has 16777216 at most"),
        ] {
            let bad = NewEvent::from_json("X", data).with_id("bad").with_source("s");
            let error = events.append("a", ExpectedVersion::Any, [event("1"), bad]).await.unwrap_err();
            assert!(matches!(error, AppendError::Unstorable { .. }));
            let message = error.to_string();
            assert!(
                message.starts_with("event bad of s cannot be stored: ") && message.contains(cause),
                "{message}"
            );
        }
        let collection = doc! { "collMod": "events", "validator": { "data.n": { "$gte": 0 } } };
        database.plain().await.run_command(collection).await.unwrap();
        let bad = NewEvent::from_json("X", r#"{"n":-1}"#).with_id("bad").with_source("s");
        let error = events.append("a", ExpectedVersion::Any, [bad]).await.unwrap_err();
        assert!(
            error.to_string().starts_with("event bad of s cannot be stored: Document failed validation"),
            "{error}"
        );
        assert_eq!(everything(&events).await.len(), 1);
    })
    .await;
}

//! Which collections are appended to, and what is refused.

use acceptance::{
    conformance::append::{event, everything},
    server::{Kind, TestDatabase, with_database, with_database_on},
};
use bson::{Bson, Document, doc};
use projection_core::{
    ErrorKind, EventStore as _, Position, StoreError,
    append::{AppendError, AppendEvents as _, ExpectedVersion, NewEvent},
};
use projection_mongo::{EventFields, Filling, ImportedEvent, MongoEvents, MongoEventsOptions};
use time::OffsetDateTime;

async fn open(database: &TestDatabase, options: MongoEventsOptions) -> Result<MongoEvents, StoreError> {
    MongoEvents::open(&database.database, "events", options).await
}

async fn refusal(events: &MongoEvents) -> String {
    events.append("a", ExpectedVersion::Any, [event("1")]).await.unwrap_err().to_string()
}

#[tokio::test]
async fn an_event_is_stored_as_a_cloudevent_that_others_can_read() {
    with_database(|database| async move {
        let events = open(&database, MongoEventsOptions::new()).await.unwrap();
        let time = OffsetDateTime::from_unix_timestamp_nanos(1_357_034_400_123_000_000).unwrap();
        let data = r#"{"n":1,"of":[1.5,{"a.b":null}]}"#;
        let new = NewEvent::from_json("Placed", data).with_id("e-1").with_source("/shop").with_time(time);
        events.append("o-1", ExpectedVersion::NoStream, [new]).await.unwrap();
        let stored = database.plain().await.collection::<Document>("events");
        let mut stored = stored.find_one(doc! {}).await.unwrap().unwrap();
        assert!(matches!(stored.remove("_id"), Some(Bson::ObjectId(_))));
        let expected = doc! {
            "id": "e-1", "source": "/shop", "type": "Placed", "specversion": "1.0",
            "datacontenttype": "application/json", "time": bson::DateTime::from_millis(1_357_034_400_123),
            "streamid": "o-1", "streamversion": 1_i64, "position": 1_i64,
            "data": { "n": 1_i64, "of": [1.5, { "a.b": null }] },
        };
        assert_eq!(stored, expected);
    })
    .await;
}

#[tokio::test]
async fn events_are_appended_behind_those_that_were_imported() {
    with_database(|database| async move {
        let events = open(&database, MongoEventsOptions::new()).await.unwrap();
        let imported =
            |position: u32| ImportedEvent::named("X", Position::from(position), "old", &doc! {}).unwrap();
        events.import([imported(7), imported(9)]).await.unwrap();
        assert_eq!(events.mark().await.unwrap(), Position::from(9));
        let appended = events.append("a", ExpectedVersion::Any, [event("1")]).await.unwrap();
        assert_eq!(appended.position(), Position::from(10));
        // By a program that knows nothing of positions given out here.
        let raw = doc! { "id": "raw", "type": "X", "position": 11_i64 };
        database.plain().await.collection("events").insert_one(raw).await.unwrap();
        let appended = events.append("a", ExpectedVersion::Any, [event("2")]).await.unwrap();
        assert!(appended.position() > Position::from(11));
        assert_eq!(everything(&events).await.len(), 5);
        let reopened = open(&database, MongoEventsOptions::new()).await.unwrap();
        assert_eq!(reopened.mark().await.unwrap(), appended.position());
    })
    .await;
}

#[tokio::test]
async fn a_mapped_collection_is_not_appended_to_unless_that_is_said() {
    with_database(|database| async move {
        let mapped = || MongoEventsOptions::new().with_fields(EventFields::new().with_position("seq"));
        let events = open(&database, mapped()).await.unwrap();
        let why = refusal(&events).await;
        assert!(
            why.contains("its events are written by others: open it with `MongoEventsOptions::appending`"),
            "{why}"
        );
        assert!(
            !database.plain().await.list_collection_names().await.unwrap().contains(&"events.positions".to_owned())
        );
        let events = open(&database, mapped().appending()).await.unwrap();
        events.append("a", ExpectedVersion::Any, [event("1")]).await.unwrap();

        // Afterwards its highest position is no safe mark any more.
        let error = open(&database, mapped()).await.unwrap_err().to_string();
        assert!(error.contains("as `events.positions` shows"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn a_collection_that_others_write_in_order_is_read_up_to_its_highest_position() {
    with_database(|database| async move {
        let events = open(&database, MongoEventsOptions::new().written_by_others().with_filling(Filling::InOrder))
            .await
            .unwrap();
        let raw = doc! { "id": "raw", "type": "X", "position": 11_i64 };
        database.plain().await.collection("events").insert_one(raw).await.unwrap();
        assert_eq!(events.mark().await.unwrap(), Position::from(11));
        assert_eq!(events.held_by().await.unwrap(), None);
        assert!(refusal(&events).await.contains("written by others"));
        let mut waiting = events.wake_up().await.unwrap().unwrap();
        let raw = doc! { "id": "raw2", "type": "X", "position": 12_i64 };
        database.plain().await.collection("events").insert_one(raw).await.unwrap();
        tokio::time::timeout(std::time::Duration::from_secs(20), waiting.woken()).await.unwrap().unwrap();
    })
    .await;
}

#[tokio::test]
async fn without_the_indexes_it_needs_nothing_is_appended() {
    with_database(|database| async move {
        let collection = database.plain().await.collection::<Document>("events");
        let index = |keys: Document| {
            let unique = mongodb::options::IndexOptions::builder().unique(true).build();
            mongodb::IndexModel::builder().keys(keys).options(unique).build()
        };
        collection.create_index(index(doc! { "position": 1 })).await.unwrap();
        let without = || MongoEventsOptions::new().without_making_indexes();
        let events = open(&database, without()).await.unwrap();
        let why = refusal(&events).await;
        assert!(why.contains("a unique index { streamid: 1, streamversion: 1 } is missing"), "{why}");
        collection.create_index(index(doc! { "streamid": 1, "streamversion": 1 })).await.unwrap();
        collection.create_index(index(doc! { "id": 1, "source": 1 })).await.unwrap();
        let events = open(&database, without()).await.unwrap();
        events.append("a", ExpectedVersion::Any, [event("1")]).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn data_beside_the_attributes_must_leave_them_their_names() {
    with_database(|database| async move {
        let fields = EventFields::new().with_id("_id").with_whole_document_as_data();
        let events = open(&database, MongoEventsOptions::new().with_fields(fields).appending()).await.unwrap();
        let new = |data: &str| [NewEvent::from_json("X", data).with_id("1").with_source("s")];
        for (data, cause) in [
            ("[1]", "its data is no JSON object"),
            (r#"{"position":1}"#, "its data has a field `position`"),
            (r#"{"_id":1}"#, "its data has a field `_id`"),
        ] {
            let error = events.append("a", ExpectedVersion::Any, new(data)).await.unwrap_err().to_string();
            assert!(error.contains(cause), "{error}");
        }
        events.append("a", ExpectedVersion::Any, new(r#"{"n":1}"#)).await.unwrap();
        let again = events.append("b", ExpectedVersion::Any, new(r#"{"n":1}"#)).await;
        assert!(matches!(again, Err(AppendError::Duplicate(event)) if event.id.as_ref() == "1"));
    })
    .await;
}

#[tokio::test]
async fn on_a_standalone_server_appending_is_refused_and_reading_is_not() {
    with_database_on(Kind::Standalone, |database| async move {
        let events = open(&database, MongoEventsOptions::new()).await.unwrap();
        let why = refusal(&events).await;
        assert!(why.contains("a standalone server has no transactions: make it a replica set"), "{why}");
        let refused = events.append("a", ExpectedVersion::Any, []).await.unwrap_err();
        assert_eq!(StoreError::from(refused).kind(), ErrorKind::Permanent);
        let mut session = database.database.client().start_session().await.unwrap();
        assert!(events.append_in(&mut session, "a", ExpectedVersion::Any, [event("1")]).await.is_err());
        let imported = ImportedEvent::named("X", Position::from(1), "old", &doc! {}).unwrap();
        events.import([imported]).await.unwrap();
        assert_eq!(everything(&events).await.len(), 1);
        assert!(events.wake_up().await.unwrap().is_none());
    })
    .await;
}

#[tokio::test]
async fn a_time_that_no_append_can_have_is_refused() {
    with_database(|database| async move {
        for seconds in [0, 601] {
            let limit = std::time::Duration::from_secs(seconds);
            let error = open(&database, MongoEventsOptions::new().with_commit_within(limit)).await.unwrap_err();
            assert!(error.to_string().contains("from one second to ten minutes"), "{error}");
        }
    })
    .await;
}

#[tokio::test]
async fn appends_that_wait_for_each_other_go_into_one_transaction_and_are_refused_one_by_one() {
    with_database(|database| async move {
        let events = open(&database, MongoEventsOptions::new()).await.unwrap();
        events.append("a", ExpectedVersion::Any, [event("0")]).await.unwrap();
        database.commands.take();
        let append = |n: usize| {
            let expected = if n.is_multiple_of(4) { ExpectedVersion::NoStream } else { ExpectedVersion::Any };
            events.append("a", expected, [event(&n.to_string())])
        };
        let answers = futures::future::join_all((1..=60).map(append)).await;
        for (n, answer) in (1..).zip(&answers) {
            match answer {
                Ok(appended) => assert!(n % 4 != 0 && appended.stream_version() > 1),
                Err(AppendError::Conflict { actual, .. }) => assert!(n % 4 == 0 && *actual > 0),
                Err(other) => panic!("{other}"),
            }
        }
        let commits = database.commands.take().iter().filter(|name| *name == "commitTransaction").count();
        assert!(commits < 6, "{commits}");

        // One that is there already takes no other with it.
        let append = |n: usize| events.append("b", ExpectedVersion::Any, [event(&format!("b-{}", n.min(8)))]);
        let answers = futures::future::join_all((1..=10).map(append)).await;
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 8);
        let duplicates = answers.iter().filter(|answer| matches!(answer, Err(AppendError::Duplicate(_)))).count();
        assert_eq!(duplicates, 2);
        let positions: Vec<_> = answers.iter().flatten().map(projection_core::append::Appended::position).collect();
        let all = everything(&events).await;
        assert!(positions.iter().all(|position| all.iter().any(|event| event.position() == *position)));
        assert_eq!(all.len(), 1 + 45 + 8);
    })
    .await;
}

//! Event collections as they are found: indexes, positions, ids, what cannot be read.

use acceptance::{
    on_each_kind_of_server,
    server::{Kind, TestDatabase, with_database_on},
};
use bson::{Document, doc, oid::ObjectId};
use projection_core::{
    ErrorKind, EventRef, EventStore as _, Filter, Position, StoreError,
    store::{EventPage as _, RawEvent as _, Window},
};
use projection_mongo::{EventFields, Filling, ImportedEvent, MongoEvents, MongoEventsOptions};
use serde::Deserialize;

on_each_kind_of_server!(
    the_indexes_are_made_and_are_unique,
    without_making_indexes_one_must_be_there,
    two_events_at_one_position_are_refused_at_open,
    an_event_that_would_never_be_read_is_refused_at_open,
    an_event_without_id_or_name_stops_the_read_and_is_named,
    a_field_s_name_that_cannot_be_one_is_refused,
    a_collection_that_exists_is_read_as_it_is,
    an_event_without_data_is_decoded_as_an_empty_one,
);

async fn open(database: &TestDatabase) -> Result<MongoEvents, StoreError> {
    MongoEvents::open(&database.database, "events", MongoEventsOptions::new()).await
}

async fn insert(database: &TestDatabase, events: impl IntoIterator<Item = Document>) {
    database.plain().await.collection("events").insert_many(events).await.unwrap();
}

const ALL: Window = Window { after: Position::START, up_to: Position::START };

fn up_to(position: u32) -> Window {
    Window { up_to: Position::from(position), ..ALL }
}

async fn the_indexes_are_made_and_are_unique(server: Kind) {
    with_database_on(server, |database| async move {
        let store = open(&database).await.unwrap();
        open(&database).await.unwrap();
        let collection = database.plain().await.collection::<Document>("events");
        let mut names = collection.list_index_names().await.unwrap();
        names.sort();
        assert_eq!(names, ["_id_", "id_1_source_1", "position_1", "streamid_1_streamversion_1"]);
        let event = |position: u32, id: &str| {
            ImportedEvent::named("X", Position::from(position), "s", &doc! {}).unwrap().with_id(id)
        };
        store.import([event(1, "a"), event(2, "b")]).await.unwrap();
        for double in [event(2, "c"), event(3, "a")] {
            assert_eq!(store.import([double]).await.unwrap_err().kind(), ErrorKind::Unique);
        }
        let error = store.import([event(0, "z")]).await.unwrap_err();
        assert!(error.to_string().contains("event z has the position 0"), "{error}");
    })
    .await;
}

async fn without_making_indexes_one_must_be_there(server: Kind) {
    with_database_on(server, |database| async move {
        let options = MongoEventsOptions::new().without_making_indexes();
        let error = MongoEvents::open(&database.database, "events", options.clone()).await.unwrap_err();
        assert!(error.to_string().contains("no index begins with `position`"), "{error}");
        let index = mongodb::IndexModel::builder().keys(doc! { "position": 1, "type": 1 }).build();
        database.plain().await.collection::<Document>("events").create_index(index).await.unwrap();
        MongoEvents::open(&database.database, "events", options).await.unwrap();
    })
    .await;
}

async fn two_events_at_one_position_are_refused_at_open(server: Kind) {
    with_database_on(server, |database| async move {
        insert(&database, [doc! { "position": 1, "id": "a" }, doc! { "position": 1, "id": "b" }]).await;
        let error = open(&database).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Permanent);
        assert!(error.to_string().contains("two events have the same `position`"), "{error}");
    })
    .await;
}

async fn an_event_that_would_never_be_read_is_refused_at_open(server: Kind) {
    let bad = [
        (doc! { "_id": "x", "position": 0 }, "is not above 0"),
        (doc! { "_id": "x", "position": -5_i64 }, "is not above 0"),
        (doc! { "_id": "x" }, "is missing"),
        (doc! { "_id": "x", "position": null }, "is no whole number"),
        (doc! { "_id": "x", "position": "7" }, "is no whole number"),
    ];
    for (document, what) in bad {
        with_database_on(server, move |database| async move {
            insert(&database, [document]).await;
            let error = open(&database).await.unwrap_err();
            let message = error.to_string();
            assert!(message.contains("the event with `_id` \"x\"") && message.contains(what), "{message}");
        })
        .await;
    }
}

async fn an_event_without_id_or_name_stops_the_read_and_is_named(server: Kind) {
    for (document, field) in [
        (doc! { "_id": "x", "position": 1, "type": "X" }, "`id` is missing"),
        (doc! { "_id": "x", "position": 1, "id": "e" }, "`type` is missing"),
        (doc! { "_id": "x", "position": 1.5, "id": "e", "type": "X" }, "`position` is no whole number"),
    ] {
        with_database_on(server, move |database| async move {
            let store = open(&database).await.unwrap();
            insert(&database, [document]).await;
            let error = store.read(up_to(9), &Filter::all(), 9).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Permanent);
            let message = error.to_string();
            assert!(message.contains("the event with `_id` \"x\"") && message.contains(field), "{message}");
        })
        .await;
    }
}

async fn a_field_s_name_that_cannot_be_one_is_refused(server: Kind) {
    with_database_on(server, |database| async move {
        let options = MongoEventsOptions::new().with_fields(EventFields::new().with_position("meta.position"));
        let error = MongoEvents::open(&database.database, "events", options).await.unwrap_err();
        assert!(error.to_string().contains("\"meta.position\""), "{error}");
    })
    .await;
}

#[derive(Debug, PartialEq, Deserialize)]
struct Placed {
    total: i64,
    at: String,
    #[serde(default)]
    lines: Vec<String>,
}

async fn a_collection_that_exists_is_read_as_it_is(server: Kind) {
    with_database_on(server, |database| async move {
        let id = ObjectId::new();
        let date = bson::DateTime::from_millis(1_357_034_400_000);
        // As a shell or another driver writes: numbers as doubles, dates as dates, no source.
        insert(
            &database,
            [doc! {
                "_id": id, "seq": 7.0, "kind": "Placed", "aggregate": 42, "at": date,
                "payload": { "total": 5.0, "at": date, "more": true },
            }],
        )
        .await;
        let fields = EventFields::new()
            .with_position("seq")
            .with_id("_id")
            .with_name("kind")
            .with_stream("aggregate")
            .with_time("at")
            .with_data("payload");
        let options = MongoEventsOptions::new().with_fields(fields).with_default_source("shop");
        // The events before the seventh are gone.
        let options = options.with_filling(Filling::InOrder);
        let store = MongoEvents::open(&database.database, "events", options).await.unwrap();
        assert_eq!(store.mark().await.unwrap(), Position::from(7));

        let page = store.read(up_to(7), &Filter::all().with_names(["Placed"]), 9).await.unwrap();
        let event = page.events().next().unwrap();
        let placed = Placed { total: 5, at: "2013-01-01T10:00:00Z".to_owned(), lines: Vec::new() };
        assert_eq!(event.decode::<Placed>().unwrap(), placed);
        let metadata = event.metadata();
        assert_eq!(metadata.event(), &EventRef::new("shop", id.to_hex()));
        assert_eq!(metadata.stream_id().as_str(), "42");
        assert_eq!(metadata.time().unwrap().unix_timestamp(), 1_357_034_400);
        assert_eq!(store.locate(&[metadata.event().clone()]).await.unwrap(), [Some(Position::from(7))]);
    })
    .await;
}

async fn an_event_without_data_is_decoded_as_an_empty_one(server: Kind) {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Nothing {}
    #[derive(Debug, PartialEq, Deserialize)]
    struct Unit;
    with_database_on(server, |database| async move {
        let store = open(&database).await.unwrap();
        let event = |position: i32| doc! { "position": position, "id": position.to_string(), "type": "X" };
        let mut with_null = event(2);
        with_null.insert("data", bson::Bson::Null);
        insert(&database, [event(1), with_null]).await;
        let page = store.read(up_to(9), &Filter::all(), 9).await.unwrap();
        let events: Vec<_> = page.events().collect();
        assert_eq!(events[0].decode::<Nothing>().unwrap(), Nothing {});
        assert_eq!(events[0].decode::<Unit>().unwrap(), Unit);
        assert_eq!(events[1].decode::<Unit>().unwrap(), Unit);
        assert_eq!(events[1].decode::<Option<i64>>().unwrap(), None);
    })
    .await;
}

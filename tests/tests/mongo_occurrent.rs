//! Events as Occurrent's MongoDB event stores write them.

use acceptance::server::{TestDatabase, with_database};
use bson::{Binary, Bson, Document, doc, oid::ObjectId, spec::BinarySubtype};
use mongodb::IndexModel;
use projection_core::{
    ErrorKind, EventMetadata, EventRef, EventStore as _, Filter, Position, StoreError,
    store::{EventPage as _, RawEvent as _, Window},
};
use projection_mongo::{MongoEvents, MongoEventsOptions};
use serde::{Deserialize, de::DeserializeOwned};
use time::OffsetDateTime;

const SOURCE: &str = "urn:shop:orders";

/// A driver makes the `_id`; the attributes, then the data, then what the store adds.
fn event(position: i64, time: impl Into<Bson>, content_type: Option<&str>, data: impl Into<Bson>) -> Document {
    let mut event = doc! {
        "_id": ObjectId::new(),
        "specversion": "1.0",
        "id": format!("8c0b6d0e-{position}"),
        "source": SOURCE,
        "type": "OrderPlaced",
        "time": time,
    };
    event.extend(content_type.map(|text| ("datacontenttype".to_owned(), text.into())));
    event.extend(doc! { "data": data, "streamid": "order-1", "streamversion": position, "position": position });
    event
}

fn bytes(bytes: &[u8]) -> Bson {
    Binary { subtype: BinarySubtype::Generic, bytes: bytes.to_vec() }.into()
}

/// The indexes that Occurrent makes.
async fn indexes(test: &TestDatabase) {
    let unique = |keys: Document, sparse: bool| {
        let options = mongodb::options::IndexOptions::builder().unique(true).sparse(sparse).build();
        IndexModel::builder().keys(keys).options(options).build()
    };
    let indexes = [
        unique(doc! { "id": 1, "source": 1 }, false),
        unique(doc! { "streamid": 1, "streamversion": 1 }, false),
        unique(doc! { "position": 1 }, true),
    ];
    test.plain().await.collection::<Document>("events").create_indexes(indexes).await.unwrap();
}

async fn holding(
    test: &TestDatabase,
    events: impl IntoIterator<Item = Document>,
) -> Result<MongoEvents, StoreError> {
    indexes(test).await;
    test.plain().await.collection("events").insert_many(events).await.unwrap();
    MongoEvents::open(&test.database, "events", MongoEventsOptions::occurrent()).await
}

async fn read<E: DeserializeOwned>(store: &MongoEvents) -> Vec<(EventMetadata, Result<E, StoreError>)> {
    let window = Window { after: Position::START, up_to: store.mark().await.unwrap() };
    let page = store.read(window, &Filter::all(), 100).await.unwrap();
    page.events().map(|event| (event.metadata(), event.decode::<E>())).collect()
}

#[derive(Debug, PartialEq, Deserialize)]
struct Placed {
    order: String,
    cents: i64,
    weight: f64,
    at: OffsetText,
    lines: Vec<Line>,
    note: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(transparent)]
struct OffsetText(String);

#[derive(Debug, PartialEq, Deserialize)]
struct Line {
    sku: String,
    count: u32,
}

const PLACED: &str = r#"{"order":"o-1","cents":4200000000,"weight":2.5,"at":"2026-11-30T10:00:00Z",
    "lines":[{"sku":"s-1","count":2}],"note":null}"#;

fn placed() -> Placed {
    Placed {
        order: "o-1".to_owned(),
        cents: 4_200_000_000,
        weight: 2.5,
        at: OffsetText("2026-11-30T10:00:00Z".to_owned()),
        lines: vec![Line { sku: "s-1".to_owned(), count: 2 }],
        note: None,
    }
}

/// As a JSON object becomes one: each number by its size.
fn document() -> Document {
    doc! {
        "order": "o-1", "cents": 4_200_000_000_i64, "weight": 2.5, "at": "2026-11-30T10:00:00Z",
        "lines": [{ "sku": "s-1", "count": 2_i32 }], "note": null,
    }
}

#[tokio::test]
async fn data_is_decoded_from_a_document_from_text_and_from_bytes() {
    with_database(|test| async move {
        let time = bson::DateTime::from_millis(1_796_032_800_000);
        let json = Some("application/json");
        let store = holding(
            &test,
            [
                event(1, time, json, document()),
                event(2, time, None, document()),
                event(3, time, json, PLACED),
                event(4, time, None, PLACED),
                event(5, time, Some("application/vnd.shop.order+json;charset=utf-8"), bytes(PLACED.as_bytes())),
            ],
        )
        .await
        .unwrap();
        let events = read::<Placed>(&store).await;
        assert_eq!(events.len(), 5);
        for (metadata, data) in events {
            assert_eq!(data.unwrap(), placed(), "{metadata:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_no_json_object_is_decoded_as_what_it_is() {
    with_database(|test| async move {
        let time = bson::DateTime::from_millis(0);
        let store = holding(
            &test,
            [
                event(1, time, Some("application/json"), "[1,2,3]"),
                event(2, time, Some("application/json"), "\"a text\""),
                event(3, time, Some("text/plain"), "{ no JSON"),
                event(4, time, Some("application/octet-stream"), bytes(b"\x00\x01")),
                event(5, time, Some("application/json"), "{ no JSON"),
            ],
        )
        .await
        .unwrap();
        let window = Window { after: Position::START, up_to: Position::from(5) };
        let page = store.read(window, &Filter::all(), 100).await.unwrap();
        let events: Vec<_> = page.events().collect();
        assert_eq!(events[0].decode::<Vec<i64>>().unwrap(), [1, 2, 3]);
        assert_eq!(events[1].decode::<String>().unwrap(), "a text");
        assert_eq!(events[2].decode::<String>().unwrap(), "{ no JSON");
        assert_eq!(events[3].decode::<bson::Bson>().unwrap(), bytes(b"\x00\x01"));
        assert_eq!(events[4].decode::<Placed>().unwrap_err().kind(), ErrorKind::Poison);
    })
    .await;
}

#[tokio::test]
async fn times_are_read_as_dates_and_as_text_in_each_form_that_was_ever_written() {
    with_database(|test| async move {
        let noon = OffsetDateTime::from_unix_timestamp(1_785_240_000).unwrap();
        let forms: [(Bson, OffsetDateTime); 6] = [
            (bson::DateTime::from_millis(1_785_240_000_000).into(), noon),
            ("2026-07-28T12:00Z".into(), noon),
            ("2026-07-28T14:00+02:00".into(), noon),
            ("2026-07-28T12:00:00Z".into(), noon),
            ("2026-07-28T12:00:00.000000000Z".into(), noon),
            ("2026-07-28T12:00:30.123456789Z".into(), noon + time::Duration::nanoseconds(30_123_456_789)),
        ];
        let events = (1..).zip(&forms).map(|(position, (time, _))| event(position, time.clone(), None, doc! {}));
        let store = holding(&test, events.collect::<Vec<_>>()).await.unwrap();
        let read: Vec<_> = read::<Bson>(&store).await.into_iter().map(|(metadata, _)| metadata.time()).collect();
        assert_eq!(read, forms.map(|(_, time)| Some(time)));
        assert_eq!(store.before(noon + time::Duration::SECOND).await.unwrap(), Position::from(5));
        assert_eq!(store.before(noon).await.unwrap(), Position::START);
    })
    .await;
}

#[tokio::test]
async fn what_is_known_of_an_event_has_its_place() {
    with_database(|test| async move {
        let store = holding(&test, [event(1, "2026-07-28T12:00Z", None, document())]).await.unwrap();
        let metadata = read::<Placed>(&store).await.remove(0).0;
        assert_eq!(metadata.event(), &EventRef::new(SOURCE, "8c0b6d0e-1"));
        assert_eq!((metadata.name(), metadata.stream_id().as_str()), ("OrderPlaced", "order-1"));
        assert_eq!((metadata.stream_version(), metadata.position()), (1, Position::from(1)));
        assert_eq!(store.locate(&[metadata.event().clone()]).await.unwrap(), [Some(Position::from(1))]);
    })
    .await;
}

#[tokio::test]
async fn no_index_is_made_beside_those_that_are_there() {
    with_database(|test| async move {
        holding(&test, [event(1, "2026-07-28T12:00Z", None, document())]).await.unwrap();
        let mut names = test.plain().await.collection::<Document>("events").list_index_names().await.unwrap();
        names.sort();
        assert_eq!(names, ["_id_", "id_1_source_1", "position_1", "streamid_1_streamversion_1"]);
    })
    .await;
}

#[tokio::test]
async fn a_history_whose_positions_were_not_backfilled_is_refused_at_open() {
    with_database(|test| async move {
        let mut old = event(1, "2026-07-28T12:00Z", None, document());
        old.remove("position");
        let error = holding(&test, [old, event(2, "2026-07-28T12:00Z", None, document())]).await.unwrap_err();
        assert!(error.to_string().contains("`position` is missing"), "{error}");
    })
    .await;
}

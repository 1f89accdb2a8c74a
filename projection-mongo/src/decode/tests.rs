use std::{collections::BTreeMap, net::IpAddr};

use bson::{Bson, Document, doc, oid::ObjectId};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use time::OffsetDateTime;

use super::*;

fn decoded<T: DeserializeOwned>(document: &Document) -> Result<T, String> {
    let raw = bson::serialize_to_raw_document_buf(document).unwrap();
    from_value(RawBsonRef::Document(&raw)).map_err(|error| error.to_string())
}

fn field<T: DeserializeOwned>(value: impl Into<Bson>) -> Result<T, String> {
    #[derive(Deserialize)]
    struct Holder<T> {
        v: T,
    }
    decoded::<Holder<T>>(&doc! { "v": value.into() }).map(|holder| holder.v)
}

#[test]
fn a_whole_number_is_an_integer_however_it_is_stored() {
    assert_eq!(field::<i64>(5), Ok(5));
    assert_eq!(field::<i64>(5_i64), Ok(5));
    assert_eq!(field::<i64>(5.0), Ok(5));
    assert_eq!(field::<u32>(5.0), Ok(5));
    assert_eq!(field::<Option<u8>>(5.0), Ok(Some(5)));
    assert_eq!(field::<f64>(5), Ok(5.0));
    assert!(field::<i64>(5.5).is_err());
    assert!(field::<u32>(-1).is_err());
    assert!(field::<u8>(256.0).is_err());
}

#[test]
fn dates_ids_and_uuids_can_be_read_as_text() {
    let date = bson::DateTime::from_millis(1_357_034_400_000);
    let id = ObjectId::new();
    let uuid = bson::Uuid::new();
    assert_eq!(field::<String>(date), Ok("2013-01-01T10:00:00Z".to_owned()));
    assert_eq!(field::<String>(id), Ok(id.to_hex()));
    assert_eq!(field::<String>(uuid), Ok(uuid.to_string()));
    assert_eq!(field::<uuid::Uuid>(uuid), Ok(uuid::Uuid::from_bytes(uuid.bytes())));
    assert_eq!(field::<uuid::Uuid>(uuid.to_string()), Ok(uuid::Uuid::from_bytes(uuid.bytes())));
}

#[test]
fn a_time_that_is_written_as_text_is_read_from_a_date() {
    #[derive(Deserialize)]
    struct At {
        #[serde(with = "time::serde::rfc3339")]
        at: OffsetDateTime,
    }
    let read = |document: Document| decoded::<At>(&document).unwrap().at.unix_timestamp();
    assert_eq!(read(doc! { "at": bson::DateTime::from_millis(7_000) }), 7);
    assert_eq!(read(doc! { "at": "1970-01-01T00:00:07Z" }), 7);
}

#[test]
fn the_types_of_bson_are_read_as_ever() {
    let date = bson::DateTime::from_millis(7);
    let id = ObjectId::new();
    let uuid = bson::Uuid::new();
    assert_eq!(field::<bson::DateTime>(date), Ok(date));
    assert_eq!(field::<ObjectId>(id), Ok(id));
    assert_eq!(field::<bson::Uuid>(uuid), Ok(uuid));
    assert_eq!(field::<Bson>(id), Ok(Bson::ObjectId(id)));
    assert_eq!(field::<Document>(doc! { "a": date }), Ok(doc! { "a": date }));
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Unit,
    New(i64),
    Tuple(i64, String),
    Struct { a: i64 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    A { n: i64 },
    B,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Unit;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Everything {
    shapes: Vec<Shape>,
    tagged: [Tagged; 2],
    unit: Unit,
    tuple: (i8, u16, bool, char),
    none: Option<i64>,
    some: Option<String>,
    map: BTreeMap<String, f32>,
    numbers: BTreeMap<u32, Vec<BTreeMap<i64, bool>>>,
    flags: BTreeMap<bool, char>,
    date: bson::DateTime,
    object: ObjectId,
    binary: bson::Uuid,
    decimal: bson::Decimal128,
    any: Bson,
    address: IpAddr,
    id: uuid::Uuid,
    bytes: Vec<u8>,
    #[serde(flatten)]
    rest: BTreeMap<String, i64>,
}

#[test]
fn what_was_written_is_read_back() {
    let everything = Everything {
        shapes: vec![Shape::Unit, Shape::New(1), Shape::Tuple(2, "x".into()), Shape::Struct { a: 3 }],
        tagged: [Tagged::A { n: 1 }, Tagged::B],
        unit: Unit,
        tuple: (-1, 2, true, 'ä'),
        none: None,
        some: Some("s".into()),
        map: [("k".to_owned(), 1.5)].into(),
        numbers: [(7, vec![[(-1, true)].into()])].into(),
        flags: [(true, 't'), (false, 'f')].into(),
        date: bson::DateTime::from_millis(7),
        object: ObjectId::from_bytes([1; 12]),
        binary: bson::Uuid::from_bytes([2; 16]),
        decimal: "1.50".parse().unwrap(),
        any: doc! { "date": bson::DateTime::from_millis(8), "list": [1, 2.5, { "x": Bson::Null }] }.into(),
        address: "127.0.0.1".parse().unwrap(),
        id: uuid::Uuid::from_u128(7),
        bytes: vec![0, 255],
        rest: [("extra".to_owned(), 9)].into(),
    };
    let raw = bson::serialize_to_raw_document_buf(&crate::encode::AsStored(&everything)).unwrap();
    assert_eq!(from_value::<Everything>(RawBsonRef::Document(&raw)).unwrap(), everything);
    assert_eq!(raw.get_str("id").unwrap(), "00000000-0000-0000-0000-000000000007");
    assert_eq!(raw.get_datetime("date").unwrap().timestamp_millis(), 7);
    assert_eq!(raw.get_object_id("object").unwrap(), everything.object);
}

#[test]
fn a_key_that_has_no_sensible_text_is_refused() {
    let map: BTreeMap<Vec<i32>, i32> = [(vec![1], 1)].into();
    let error = bson::serialize_to_vec(&crate::encode::AsStored(&map)).unwrap_err();
    assert!(error.to_string().contains("the key of a map must be text"), "{error}");
}

#[test]
fn the_keys_of_a_map_may_be_numbers() {
    assert_eq!(decoded::<BTreeMap<i64, i32>>(&doc! { "-3": 1, "4": 2 }), Ok([(-3, 1), (4, 2)].into()));
    assert!(decoded::<BTreeMap<i64, i32>>(&doc! { "x": 1 }).is_err());
}

#[test]
fn an_empty_document_is_an_event_without_data() {
    assert_eq!(decoded::<Unit>(&doc! {}), Ok(Unit));
    assert!(decoded::<Unit>(&doc! { "a": 1 }).is_err());
}

#[test]
fn an_error_names_the_field() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only decoded")]
    struct Line {
        sku: String,
    }
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only decoded")]
    struct Order {
        lines: Vec<Line>,
    }
    let error = decoded::<Order>(&doc! { "lines": [{ "sku": "a" }, { "sku": 1 }] }).unwrap_err();
    assert_eq!(error, "invalid type: integer `1`, expected a string, in `lines.1.sku`");
}

#[test]
fn hidden_fields_do_not_disturb_a_type_that_denies_unknown_ones() {
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        _id: Option<i64>,
        a: i64,
    }
    let raw = bson::serialize_to_raw_document_buf(&doc! { "_id": "x", "a": 1, "_projection": {} }).unwrap();
    let hidden = ["_id", "_projection"];
    assert_eq!(from_fields::<Strict>(&raw, &hidden, None), Ok(Strict { _id: None, a: 1 }));
    let own = Some(("_id", RawBsonRef::Int64(5)));
    assert_eq!(from_fields::<Strict>(&raw, &hidden, own), Ok(Strict { _id: Some(5), a: 1 }));
}

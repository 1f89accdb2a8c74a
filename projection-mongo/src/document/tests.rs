use std::collections::BTreeMap;

use bson::{Document, RawDocument, doc};
use projection_core::{
    EventRef, KeyRef, Position,
    store::{RefusedState, SourceName},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::*;

const ID: KeyRef<'static> = KeyRef::Text("o-1");

fn format() -> Format {
    Format { source: SourceName::default(), version: None }
}

fn encoded<S: Serialize>(id: KeyRef<'_>, state: &S) -> Result<Vec<u8>, RefusedState> {
    let stamp = Stamp { position: Position::from(7), offered: &[], epoch: None };
    Encoder::new(&format()).document(id, state, Some(stamp))
}

fn document<S: Serialize>(id: KeyRef<'_>, state: &S) -> Document {
    bson::deserialize_from_slice(&encoded(id, state).unwrap()).unwrap()
}

fn there_and_back<S: Serialize + DeserializeOwned>(id: KeyRef<'_>, state: &S) -> S {
    let bytes = encoded(id, state).unwrap();
    let parsed = Parsed::new(RawDocument::from_bytes(&bytes).unwrap());
    assert_eq!(parsed.id(), Some(id));
    assert_eq!(parsed.position(&format()), Ok(Position::from(7)));
    parsed.state().unwrap()
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    total: i64,
    lines: Vec<String>,
}

// spec: B11
#[test]
fn the_fields_of_a_state_stand_at_the_top_level() {
    let order = Order { total: 5, lines: vec!["a".into()] };
    assert_eq!(
        document(ID, &order),
        doc! { "_id": "o-1", "total": 5_i64, "lines": ["a"], "_projection": { "position": { "events": 7_i64 } } }
    );
    assert_eq!(there_and_back(ID, &order), order);
}

#[test]
fn a_state_that_is_no_map_stands_under_value() {
    let ours = doc! { "position": { "events": 7_i64 }, "value": true };
    assert_eq!(document(ID, &5_i64), doc! { "_id": "o-1", "value": 5_i64, "_projection": ours });
    assert_eq!(there_and_back(ID, &5_i64), 5);
    assert_eq!(there_and_back(ID, &"text".to_owned()), "text");
    assert_eq!(there_and_back(ID, &vec![1, 2]), [1, 2]);
    assert_eq!(there_and_back(ID, &None::<i64>), None);
}

#[test]
fn a_map_with_the_one_field_value_is_not_taken_for_a_state_that_is_no_map() {
    let map: BTreeMap<String, i64> = [("value".to_owned(), 1)].into();
    assert_eq!(there_and_back(ID, &map), map);
    let any = bson::Bson::Document(doc! { "value": 1 });
    assert_eq!(there_and_back(ID, &any), any);
    let any = bson::Bson::Int32(1);
    assert_eq!(there_and_back(ID, &any), any);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct WithId<K> {
    _id: K,
    n: i32,
}

// spec: P31
#[test]
fn a_state_may_carry_its_own_id_and_gets_it_back_as_it_was() {
    let uuid = uuid::Uuid::from_u128(9);
    let state = WithId { _id: uuid, n: 1 };
    let stored = document(KeyRef::Uuid(uuid), &state);
    assert_eq!(stored.get("_id"), Some(&bson::Bson::from(bson::Uuid::from_bytes(*uuid.as_bytes()))));
    assert_eq!(stored.keys().filter(|key| *key == "_id").count(), 1);
    assert_eq!(there_and_back(KeyRef::Uuid(uuid), &state), state);
    let state = WithId { _id: 3_i32, n: 1 };
    assert_eq!(there_and_back(KeyRef::Int(3), &state), state);
    let state = WithId { _id: vec![1_u8, 200], n: 1 };
    assert_eq!(there_and_back(KeyRef::Bytes(&[1, 200]), &state), state);
}

// spec: P31
#[test]
fn another_id_in_the_state_is_refused() {
    let error = encoded(ID, &WithId { _id: "o-2", n: 1 }).unwrap_err();
    assert!(matches!(error, RefusedState::OtherId { .. }));
    assert_eq!(
        error.to_string(),
        "instance \"o-1\" has a field `_id` with the value \"o-2\": leave it out, or keep it equal to the instance's id"
    );
}

#[test]
fn our_own_name_is_refused_as_a_field() {
    let error = encoded(ID, &doc! { "_projection": 1 }).unwrap_err();
    assert!(matches!(error, RefusedState::ReservedField { .. }));
}

// spec: B15
#[test]
fn a_state_past_the_limit_is_refused_with_its_size() {
    let text = "x".repeat(MAX_DOCUMENT);
    let Err(RefusedState::TooLarge { instance, size, limit }) = encoded(ID, &text) else {
        panic!("it was taken");
    };
    assert_eq!((instance.as_str(), limit), ("\"o-1\"", MAX_DOCUMENT));
    assert!(size > limit);
}

#[test]
fn offered_events_come_back_in_their_order() {
    let offered = [EventRef::new("a", "1"), EventRef::new("b", "1")];
    let stamp = Stamp { position: Position::START, offered: &offered, epoch: None };
    let bytes = Encoder::new(&format()).document(ID, &1, Some(stamp)).unwrap();
    let parsed = Parsed::new(RawDocument::from_bytes(&bytes).unwrap());
    assert_eq!(parsed.offered().unwrap(), offered);
}

#[test]
fn a_position_of_another_source_or_version_is_named() {
    let bytes = encoded(ID, &1).unwrap();
    let parsed = Parsed::new(RawDocument::from_bytes(&bytes).unwrap());
    let other = Format { source: SourceName::new("orders").unwrap(), version: None };
    let error = parsed.position(&other).unwrap_err().to_string();
    assert!(error.starts_with("is fed from `events`, and this view is fed from `orders`"), "{error}");

    let first = Format { version: Some(1), ..format() };
    let stamp = Stamp { position: Position::from(1), offered: &[], epoch: None };
    let bytes = Encoder::new(&first).document(ID, &1, Some(stamp)).unwrap();
    let parsed = Parsed::new(RawDocument::from_bytes(&bytes).unwrap());
    assert_eq!(parsed.position(&first), Ok(Position::from(1)));
    let error = parsed.position(&Format { version: Some(2), ..format() }).unwrap_err().to_string();
    assert!(error.starts_with("was written by version 1 of the projection, and this is version 2"), "{error}");
}

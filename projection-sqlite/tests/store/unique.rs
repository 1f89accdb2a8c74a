//! Unique indexes (spec: P32).

use projection_core::{
    ErrorKind, Handlers, Index, Projection,
    store::{ChangeOutcome, Expected},
};
use projection_sqlite::SqliteStore;
use serde_json::{Value, json};

use crate::support::{at, change, commit, names, open};

struct Loose;

impl Projection for Loose {
    type State = Value;
    type Id = String;
    const NAME: &'static str = "loose";

    fn indexes() -> Vec<Index> {
        vec![Index::new(["a.b", "-c"]).unique()]
    }

    fn handlers<H: Handlers<Self>>(_handlers: &mut H) {}
}

struct Plain;

impl Projection for Plain {
    type State = i64;
    type Id = String;
    const NAME: &'static str = "plain";

    fn indexes() -> Vec<Index> {
        vec![Index::new(["value"]).unique()]
    }

    fn handlers<H: Handlers<Self>>(_handlers: &mut H) {}
}

#[tokio::test]
async fn a_missing_field_counts_as_null_and_there_is_one_null() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let view = open::<Loose>(&store).await;
    let save = async |id: &str, state: Value| view.save(&id.to_owned(), &state).await.map_err(|error| error.kind());
    assert_eq!(save("1", json!({ "a": { "b": 1 }, "c": 1 })).await, Ok(()));
    assert_eq!(save("2", json!({ "a": { "b": 1 }, "c": 2 })).await, Ok(()));
    assert_eq!(save("3", json!({ "a": { "b": 1 }, "c": 1 })).await, Err(ErrorKind::Unique));
    assert_eq!(save("4", json!({ "a": { "b": 1 } })).await, Ok(()));
    assert_eq!(save("5", json!({ "a": { "b": 1 }, "c": null })).await, Err(ErrorKind::Unique));
    assert_eq!(save("6", json!({ "c": 1 })).await, Ok(()));
    assert_eq!(save("7", json!({})).await, Ok(()));
    assert_eq!(save("8", json!({ "a": null })).await, Err(ErrorKind::Unique));
    assert_eq!(save("7", json!({ "a": { "b": 9 } })).await, Ok(()));
    assert_eq!(save("8", json!({ "a": null })).await, Ok(()));
}

#[tokio::test]
async fn a_state_that_is_no_map_is_indexed_under_value() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let view = open::<Plain>(&store).await;
    view.save(&"1".to_owned(), &5).await.unwrap();
    let error = view.save(&"2".to_owned(), &5).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unique);
    assert_eq!(
        error.to_string(),
        "instance \"2\" breaks the unique index value_1 of `plain.v1`: another instance has its values already"
    );
}

#[tokio::test]
async fn a_tombstone_holds_no_value() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let view = open::<Plain>(&store).await;
    let ids = ["a", "b", "c"].map(str::to_owned);
    let [a, b, c] = &ids;
    let written = commit(&view, &[change(a, Some(&5), 1, Expected::Absent)], None, None).await;
    assert_eq!(names(&written).0, ["written"]);
    let changes =
        [change(a, None, 2, at(1)), change(b, None, 2, Expected::Absent), change(c, Some(&5), 2, Expected::Absent)];
    assert_eq!(names(&commit(&view, &changes, None, None).await).0, ["written"; 3]);
}

#[tokio::test]
async fn a_list_in_a_unique_field_is_refused_by_itself() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let view = open::<Loose>(&store).await;
    let ids = ["a", "b"].map(str::to_owned);
    let states = [json!({ "a": [{ "b": 1 }] }), json!({ "c": 1 })];
    let changes = [
        change(&ids[0], Some(&states[0]), 1, Expected::Absent),
        change(&ids[1], Some(&states[1]), 1, Expected::Absent),
    ];
    let committed = commit(&view, &changes, None, None).await;
    assert_eq!(names(&committed).0, ["rejected", "written"]);
    let ChangeOutcome::Rejected(error) = &committed.outcomes[0] else { unreachable!() };
    assert!(error.to_string().contains("instance \"a\" has a list in `a.b`"), "{error}");
}

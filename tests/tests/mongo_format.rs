//! What is stored in MongoDB and where, read back with the plain driver.

use acceptance::{
    conformance::{Account, Tally, View, change, outcome_names, put, write},
    on_each_kind_of_server,
    server::{Kind, with_database_on},
};
use bson::{Bson, Document, doc};
use projection_core::{
    ErrorKind, EventRef, Handlers, Index, Key, Position, Projection, Singleton, ViewStore,
    store::{Change, Expected, SourceName},
};
use projection_mongo::{MongoViews, MongoViewsOptions};
use uuid::Uuid;

on_each_kind_of_server!(
    a_state_stands_at_the_top_level_and_its_position_beside_it,
    a_state_that_is_no_map_stands_under_value,
    the_id_of_a_document_is_made_from_the_key,
    each_version_has_a_collection_and_the_name_shows_the_first,
    a_collection_of_the_view_s_name_is_refused_saying_what_to_do,
    a_view_can_live_in_a_plain_collection_of_any_name,
    a_name_that_mongodb_does_not_take_is_refused,
    the_indexes_that_a_view_declares_are_made,
    an_index_that_is_there_with_other_options_is_named,
    a_unique_index_that_the_documents_break_is_named,
    an_expression_in_a_state_is_stored_as_it_is,
);

fn source() -> SourceName {
    SourceName::default()
}

// spec: B11
async fn a_state_stands_at_the_top_level_and_its_position_beside_it(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<Tally, String>>(&source()).await.unwrap();
        let offered = [EventRef::new("shop", "1")];
        let (a, b) = ("a".to_owned(), "b".to_owned());
        let (one, expected, position) = (Tally::of(1), Expected::Absent, Position::from(7));
        let changes = [
            Change { id: &a, state: Some(&one), position, offered: &[], expected },
            Change { id: &b, state: Some(&one), position, offered: &offered, expected },
        ];
        assert_eq!(outcome_names(&write(&*repository, &changes).await), ["written"; 2]);

        let plain = database.plain().await.collection::<Document>("view.v1");
        let stored = async |id: &str| plain.find_one(doc! { "_id": id }).await.unwrap().unwrap();
        assert_eq!(
            stored("a").await,
            doc! { "_id": "a", "n": 1_i64, "log": ["1"], "_projection": { "position": { "events": 7_i64 } } }
        );
        assert_eq!(
            stored("b").await.get_document("_projection").unwrap(),
            &doc! { "position": { "events": 7_i64 }, "offered": [{ "source": "shop", "id": "1" }] }
        );

        put(&*repository, &a, Some(&Tally::of(2)), 9, Expected::At(position)).await;
        assert_eq!(
            stored("a").await,
            doc! { "_id": "a", "n": 2_i64, "log": ["2"], "_projection": { "position": { "events": 9_i64 } } }
        );
        put(&*repository, &b, None, 9, Expected::At(position)).await;
        assert_eq!(plain.count_documents(doc! {}).await.unwrap(), 1);
        let tombstones = database.plain().await.collection::<Document>("view.v1.tombstones");
        assert_eq!(
            tombstones.find_one(doc! {}).await.unwrap().unwrap(),
            doc! { "_id": "b", "_projection": { "position": { "events": 9_i64 } } }
        );
    })
    .await;
}

async fn a_state_that_is_no_map_stands_under_value(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<i64, String>>(&source()).await.unwrap();
        put(&*repository, &"a".to_owned(), Some(&5), 7, Expected::Absent).await;
        let plain = database.plain().await.collection::<Document>("view.v1");
        let found = plain.find_one(doc! { "value": { "$gt": 4 } }).await.unwrap().unwrap();
        assert_eq!(found.get("value"), Some(&Bson::Int64(5)));
    })
    .await;
}

// spec: P31
async fn the_id_of_a_document_is_made_from_the_key(server: Kind) {
    async fn stored_id<Id: Key>(database: &acceptance::server::TestDatabase, id: Id) -> Bson {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<i64, Id>>(&source()).await.unwrap();
        put(&*repository, &id, Some(&1), 1, Expected::Absent).await;
        let plain = database.plain().await.collection::<Document>("view.v1");
        let stored = plain.find_one_and_delete(doc! {}).await.unwrap().unwrap();
        stored.get("_id").unwrap().clone()
    }
    with_database_on(server, |database| async move {
        assert_eq!(stored_id(&database, "a".to_owned()).await, Bson::from("a"));
        assert_eq!(stored_id(&database, 5_i64).await, Bson::Int64(5));
        let uuid = Uuid::from_u128(7);
        assert_eq!(stored_id(&database, uuid).await, bson::Uuid::from_bytes(*uuid.as_bytes()).into());
        let bytes = bson::Binary { subtype: bson::spec::BinarySubtype::Generic, bytes: vec![1, 2] };
        assert_eq!(stored_id(&database, vec![1_u8, 2]).await, bytes.into());
        assert_eq!(stored_id(&database, Singleton).await, Bson::from("singleton"));
    })
    .await;
}

struct Second;

impl Projection for Second {
    type State = Tally;
    type Id = String;
    const NAME: &'static str = "view";
    const VERSION: u32 = 2;

    fn handlers<H: Handlers<Self>>(_handlers: &mut H) {}
}

async fn each_version_has_a_collection_and_the_name_shows_the_first(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let a = "a".to_owned();
        let first = views.open::<View<Tally, String>>(&source()).await.unwrap();
        put(&*first, &a, Some(&Tally::of(1)), 7, Expected::Absent).await;
        let second = views.open::<Second>(&source()).await.unwrap();
        put(&*second, &a, Some(&Tally::of(2)), 7, Expected::Absent).await;

        let plain = database.plain().await;
        let n = async |name: &str| {
            let found = plain.collection::<Document>(name).find_one(doc! { "_id": "a" }).await.unwrap();
            found.unwrap().get_i64("n").unwrap()
        };
        assert_eq!((n("view.v1").await, n("view.v2").await, n("view").await), (1, 2, 1));
    })
    .await;
}

async fn a_collection_of_the_view_s_name_is_refused_saying_what_to_do(server: Kind) {
    with_database_on(server, |database| async move {
        database.plain().await.collection("view").insert_one(doc! { "theirs": 1 }).await.unwrap();
        let views = MongoViews::new(database.database.clone());
        let error = views.open::<View<Tally, String>>(&source()).await.err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Permanent);
        assert!(error.to_string().contains("with_plain_collection(\"view\", \"view\")"), "{error}");
    })
    .await;
}

async fn a_view_can_live_in_a_plain_collection_of_any_name(server: Kind) {
    with_database_on(server, |database| async move {
        let options = MongoViewsOptions::new().with_plain_collection("view", "their.orders");
        let views = MongoViews::with_options(database.database.clone(), options);
        let a = "a".to_owned();
        let repository = views.open::<View<Tally, String>>(&source()).await.unwrap();
        put(&*repository, &a, Some(&Tally::of(1)), 7, Expected::Absent).await;
        put(&*repository, &a, Some(&Tally::of(2)), 8, Expected::At(Position::from(7))).await;
        let plain = database.plain().await;
        let stored = plain.collection::<Document>("their.orders").find_one(doc! {}).await.unwrap().unwrap();
        assert_eq!(
            stored.get_document("_projection").unwrap(),
            &doc! { "position": { "events": 8_i64 }, "version": 1_i64 }
        );
        let names = plain.list_collection_names().await.unwrap();
        assert!(!names.iter().any(|name| name == "view" || name == "view.v1"), "{names:?}");

        // Another version of the projection would take these positions for its own.
        let error = views.open::<Second>(&source()).await.unwrap().guarded().unwrap().load(&[a]).await.unwrap_err();
        assert!(error.to_string().contains("was written by version 1 of the projection"), "{error}");
    })
    .await;
}

struct Badly;

impl Projection for Badly {
    type State = Tally;
    type Id = String;
    const NAME: &'static str = "$view";

    fn handlers<H: Handlers<Self>>(_handlers: &mut H) {}
}

async fn a_name_that_mongodb_does_not_take_is_refused(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let error = views.open::<Badly>(&source()).await.err().unwrap();
        assert!(error.to_string().contains("`$view`"), "{error}");
    })
    .await;
}

async fn the_indexes_that_a_view_declares_are_made(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        views.open::<Account>(&source()).await.unwrap();
        let plain = database.plain().await.collection::<Document>("account.v1");
        let mut names = plain.list_index_names().await.unwrap();
        names.sort();
        assert_eq!(names, ["_id_", "city_1_email_-1", "email_1"]);
    })
    .await;
}

struct OtherIndex;

impl Projection for OtherIndex {
    type State = Account;
    type Id = String;
    const NAME: &'static str = "account";

    fn indexes() -> Vec<Index> {
        vec![Index::new(["email"])]
    }

    fn handlers<H: Handlers<Self>>(_handlers: &mut H) {}
}

async fn an_index_that_is_there_with_other_options_is_named(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        views.open::<Account>(&source()).await.unwrap();
        let error = views.open::<OtherIndex>(&source()).await.err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Permanent);
        assert!(error.to_string().contains("`email_1`"), "{error}");
    })
    .await;
}

async fn a_unique_index_that_the_documents_break_is_named(server: Kind) {
    with_database_on(server, |database| async move {
        let plain = database.plain().await.collection::<Document>("account.v1");
        plain.insert_many([doc! { "email": "a" }, doc! { "email": "a" }]).await.unwrap();
        let views = MongoViews::new(database.database.clone());
        let error = views.open::<Account>(&source()).await.err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Permanent);
        assert!(error.to_string().contains("`email_1` cannot be made"), "{error}");
    })
    .await;
}

async fn an_expression_in_a_state_is_stored_as_it_is(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<serde_json::Value, String>>(&source()).await.unwrap();
        let state = serde_json::json!({
            "a": "$$ROOT", "b": { "$toInt": "x" }, "$c": ["$_id", { "$literal": 1 }], "d.e": "$a", "": null,
        });
        let a = "a".to_owned();
        let changed = change(&a, Some(&state), 2, Expected::At(Position::from(1)));
        put(&*repository, &a, Some(&serde_json::json!({})), 1, Expected::Absent).await;
        assert_eq!(outcome_names(&write(&*repository, &[changed]).await), ["written"]);
        assert_eq!(repository.find_by_id(&a).await.unwrap(), Some(state));
    })
    .await;
}

//! A new version of a view in MongoDB: its indexes, what readers see meanwhile, and a rebuild that is broken off.

use std::{sync::Arc, time::Duration};

use acceptance::{
    conformance::rebuild::{TILLS, first, history, second, shown, started},
    server::{OwnUsers, TestDatabase, with_database},
};
use bson::{Document, doc};
use futures::TryStreamExt as _;
use mongodb::Database;
use projection_core::{
    ErrorKind, Index, Projection, ProjectionRuntime,
    memory::InMemoryEventStore,
    runtime::{Rebuild, RebuildError, Rebuilt},
};
use projection_mongo::MongoViews;
use serde::{Deserialize, Serialize};

const OPEN: u64 = TILLS as u64 * 3 / 4;

async fn both(test: &TestDatabase) -> (InMemoryEventStore, MongoViews, ProjectionRuntime) {
    let (events, views) = (history(), MongoViews::new(test.database.clone()));
    started::<first::Till, _>(&events, &views).await.shutdown().await;
    let new = started::<second::Till, _>(&events, &views).await;
    (events, views, new)
}

async fn indexes(database: &Database, collection: &str) -> Vec<String> {
    let names = database.collection::<Document>(collection).list_index_names().await;
    let mut names = names.unwrap();
    names.sort();
    names
}

async fn make(database: &Database, collection: &str, index: Document) {
    database.run_command(doc! { "createIndexes": collection, "indexes": [index] }).await.unwrap();
}

#[tokio::test]
async fn indexes_are_made_after_loading_and_those_made_by_hand_are_copied() {
    with_database(|test| async move {
        let (_, views, new) = both(&test).await;
        let database = test.plain().await;
        assert_eq!(indexes(&database, "till.v2").await, ["_id_"]);
        make(&database, "till.v1", doc! { "key": { "cents": 1, "x": -1 }, "name": "by hand", "sparse": true })
            .await;
        let open = doc! { "cents": { "$gt": 0 } };
        make(
            &database,
            "till.v1",
            doc! { "key": { "x": "text" }, "name": "words", "partialFilterExpression": open.clone() },
        )
        .await;
        make(&database, "till.v1", doc! { "key": { "old": 1 }, "name": "old" }).await;
        make(&database, "till.v1", doc! { "key": { "y": 1 }, "name": "y" }).await;
        // Somebody was faster with this one.
        make(&database, "till.v2", doc! { "key": { "y": 1 }, "name": "why" }).await;

        let how = Rebuild::new().without_index("old");
        assert!(matches!(new.rebuild::<second::Till>(how).await.unwrap(), Rebuilt::Switched { .. }));
        assert_eq!(indexes(&database, "till.v2").await, ["_id_", "by hand", "sales_1", "why", "words"]);
        let all: Vec<Document> = database
            .run_cursor_command(doc! { "listIndexes": "till.v2" })
            .await
            .unwrap()
            .try_collect()
            .await
            .unwrap();
        let named =
            |name: &str| all.iter().find(|index| index.get_str("name").is_ok_and(|found| found == name)).unwrap();
        assert!(named("by hand").get_bool("sparse").unwrap());
        assert_eq!(named("words").get_document("partialFilterExpression").unwrap(), &open);
        assert_eq!(shown(&views).await, Some(2));
    })
    .await;
}

/// Two tills have sold as often.
struct Unique;

impl Projection for Unique {
    type State = second::Till;
    type Id = <second::Till as Projection>::Id;
    const NAME: &'static str = "till";
    const VERSION: u32 = 3;

    fn indexes() -> Vec<Index> {
        vec![Index::new(["sales"]).unique()]
    }

    fn handlers<H: projection_core::Handlers<Self>>(handlers: &mut H) {
        handlers.on::<Sold>(
            |_, meta, keys| keys.add(meta.stream_id()),
            |till, event, _, _| {
                let till = till.get_or_insert_default();
                till.cents += event.cents;
                till.sales += 1;
            },
        );
    }
}

#[derive(Serialize, Deserialize, projection_core::Event)]
#[event(name = "Sold")]
struct Sold {
    cents: i64,
}

#[tokio::test]
async fn a_unique_index_that_two_instances_break_is_named_and_nothing_is_switched() {
    with_database(|test| async move {
        let (events, views, new) = both(&test).await;
        new.shutdown().await;
        let third = started::<Unique, _>(&events, &views).await;
        let error = third.rebuild::<Unique>(Rebuild::new()).await.unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("its indexes cannot be made") && text.contains("the unique index `sales_1`"),
            "{text}"
        );
        assert_eq!(shown(&views).await, Some(1));
    })
    .await;
}

#[tokio::test]
async fn a_query_sees_one_version_or_the_other_and_never_half_of_one() {
    with_database(|test| async move {
        let (_, _, new) = both(&test).await;
        let database = test.plain().await;
        let reading = tokio::spawn({
            let readers = database.collection::<Document>("till");
            async move {
                let mut seen = Vec::new();
                while seen.last() != Some(&(OPEN, OPEN)) {
                    let group = doc! { "$group": { "_id": null, "all": { "$sum": 1_i64 }, "new": { "$sum": {
                        "$cond": [{ "$ifNull": ["$sales", false] }, 1_i64, 0_i64],
                    } } } };
                    let found = readers.aggregate([group]).await.unwrap().try_next().await.unwrap().unwrap();
                    let count = |field| u64::try_from(found.get_i64(field).unwrap()).unwrap();
                    seen.push((count("all"), count("new")));
                }
                seen
            }
        });
        new.rebuild::<second::Till>(Rebuild::new().checking(10)).await.unwrap();
        let seen = tokio::time::timeout(Duration::from_secs(60), reading).await.unwrap().unwrap();
        assert!(seen.iter().all(|one| [(OPEN, 0), (OPEN, OPEN)].contains(one)), "{seen:?}");
    })
    .await;
}

#[tokio::test]
async fn broken_off_at_any_command_it_goes_on_when_it_is_called_again() {
    with_database(|test| async move {
        let (_, views, new) = both(&test).await;
        let lost = doc! { "closeConnection": true };
        for command in ["createIndexes", "listIndexes", "collMod"] {
            let point = test.fail(&[command], 1, lost.clone()).await;
            let error = new.rebuild::<second::Till>(Rebuild::new().checking(3)).await.unwrap_err();
            assert!(
                matches!(&error, RebuildError::Store { source, .. } if source.kind() == ErrorKind::Transient),
                "{error}"
            );
            point.off().await;
            assert_eq!(shown(&views).await, Some(1), "{command}");
        }
        let switched = new.rebuild::<second::Till>(Rebuild::new().checking(3)).await.unwrap();
        assert!(matches!(switched, Rebuilt::Switched { from: Some(1), .. }), "{switched:?}");
        assert_eq!(shown(&views).await, Some(2));
    })
    .await;
}

#[tokio::test]
async fn dropped_at_any_moment_it_leaves_one_version_shown_and_goes_on() {
    with_database(|test| async move {
        let (_, views, new) = both(&test).await;
        let new = Arc::new(new);
        for microseconds in (0..40).map(|n| n * 500) {
            let rebuild = new.rebuild::<second::Till>(Rebuild::new().checking(usize::MAX));
            drop(tokio::time::timeout(Duration::from_micros(microseconds), rebuild).await);
            assert!(matches!(shown(&views).await, Some(1 | 2)));
        }
        new.rebuild::<second::Till>(Rebuild::new()).await.unwrap();
        assert_eq!(shown(&views).await, Some(2));
    })
    .await;
}

#[tokio::test]
async fn without_the_privilege_to_switch_it_says_what_to_grant_or_to_run() {
    let users = OwnUsers::start().await;
    let app = users.user("app", &["readWrite"]).await;
    let (_, views, new) = both(&app).await;
    let error = new.rebuild::<second::Till>(Rebuild::new()).await.unwrap_err().to_string();
    for said in ["grant `dbAdmin`", r#"collMod: "till", viewOn: "till.v2""#] {
        assert!(error.contains(said), "{error}");
    }
    assert_eq!(shown(&views).await, Some(1));
}

//! Sharded clusters (spec: B34). No router can be had here: these talk to a server that answers as one does.

use acceptance::{
    conformance::{Tally, View},
    server::{FakeServer, TestDatabase},
};
use bson::{Document, doc};
use projection_core::{ErrorKind, StoreError, ViewStore, store::SourceName};
use projection_mongo::{MongoEvents, MongoEventsOptions, MongoViews};

/// What a router finds in `config.collections`.
fn sharded_by(keys: &[Document]) -> (&'static str, Document) {
    let batch: Vec<_> =
        keys.iter().map(|key| doc! { "_id": "test.view.v1", "key": key, "unique": false }).collect();
    let cursor = doc! { "id": 0_i64, "ns": "config.collections", "firstBatch": batch };
    ("find", doc! { "cursor": cursor, "ok": 1.0 })
}

async fn open(test: &TestDatabase) -> StoreError {
    let views = MongoViews::new(test.database.clone());
    views.open::<View<Tally, String>>(&SourceName::default()).await.err().expect("it is no real router")
}

#[tokio::test]
async fn events_are_refused_on_a_router_by_name() {
    let router = FakeServer::router(&[]).await;
    let test = router.database().await;
    let refused = MongoEvents::open(&test.database, "events", MongoEventsOptions::new()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Permanent);
    let message = refused.to_string();
    assert!(message.contains("`events`") && message.contains("router of a sharded cluster"), "{message}");
}

#[tokio::test]
async fn a_view_that_is_sharded_by_another_key_is_refused_naming_collection_and_key() {
    let router = FakeServer::router(&[sharded_by(&[doc! { "region": 1 }])]).await;
    let test = router.database().await;
    let refused = open(&test).await;
    assert_eq!(refused.kind(), ErrorKind::Permanent);
    let message = refused.to_string();
    for part in ["`view.v1`", "sharded by { \"region\": 1 }", "shard it by `_id`"] {
        assert!(message.contains(part), "{message}");
    }
}

#[tokio::test]
async fn a_view_that_is_sharded_by_id_or_not_at_all_is_not_refused_for_that() {
    for keys in [vec![doc! { "_id": "hashed" }], vec![doc! { "_id": 1 }], vec![]] {
        let router = FakeServer::router(&[sharded_by(&keys)]).await;
        let test = router.database().await;
        // The next step asks for something that this server does not have.
        let message = open(&test).await.to_string();
        assert!(message.contains("no listCollections"), "{message}");
        let asked = test.commands.take();
        assert_eq!(asked.iter().filter(|name| *name == "find").count(), 7, "of each collection: {asked:?}");
    }
}

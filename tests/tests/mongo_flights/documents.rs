//! Every document of every view, as the plain driver reads them.

use std::collections::BTreeMap;

use acceptance::server::TestDatabase;
use bson::{Document, doc};
use flights::{history::FlightHistory, mongo::FlightsDatabase};
use futures::TryStreamExt;

/// Every document of every view, by collection.
pub(crate) type Documents = BTreeMap<String, Vec<Document>>;

/// Reads them all.
pub(crate) async fn read(test: &TestDatabase) -> Documents {
    let plain = test.plain().await;
    let mut documents = Documents::new();
    for name in plain.list_collection_names().filter(doc! { "name": { "$regex": r"\.v1$" } }).await.unwrap() {
        let all = plain.collection::<Document>(&name).find(doc! {}).sort(doc! { "_id": 1 }).await.unwrap();
        let all: Vec<Document> = all.try_collect().await.unwrap();
        // A view whose instances all ended inside their batches was never written.
        if !all.is_empty() {
            documents.insert(name, all);
        }
    }
    documents
}

pub(crate) async fn import(test: &TestDatabase, history: &FlightHistory) {
    FlightsDatabase::new(test.database.clone()).import(history, 0, || ()).await.unwrap();
}

/// Compares without printing a hundred thousand documents.
pub(crate) fn assert_same(found: &Documents, expected: &Documents, after: &str) {
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "after {after}");
    for (view, expected) in expected {
        assert_eq!(found[view].len(), expected.len(), "{view} after {after}");
        for (found, expected) in found[view].iter().zip(expected) {
            assert_eq!(found, expected, "{view} after {after}");
        }
    }
}

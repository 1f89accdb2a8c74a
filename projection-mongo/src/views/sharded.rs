//! Sharded clusters: a view is written by `_id`, so its collections may be sharded by nothing else (spec: B34).

use bson::{Document, doc};
use mongodb::Database;
use projection_core::{ErrorKind, StoreError};

use crate::{error::Doing, topology};

/// Refuses a collection that is sharded by another key. One round trip, on a router one more.
pub(super) async fn check(database: &Database, collections: &[&str]) -> Result<(), StoreError> {
    let doing = Doing::new("opening the database", database.name());
    if topology::kind(database).await.map_err(|error| doing.failed(error))? != topology::Kind::Router {
        return Ok(());
    }
    let sharded = database.client().database("config").collection::<Document>("collections");
    for collection in collections {
        let doing = Doing::new("asking how it is sharded:", collection);
        let found = sharded.find_one(doc! { "_id": format!("{}.{collection}", database.name()) }).await;
        let found = found.map_err(|error| doing.failed(error))?;
        if let Some(key) = found.as_ref().and_then(wrong_key) {
            let message = format!(
                "it is sharded by {key}, and views are written by `_id`: shard it by `_id`, also hashed, or not at all"
            );
            return Err(Doing::new("opening the collection", collection).wrong(ErrorKind::Permanent, message));
        }
    }
    Ok(())
}

/// The key of a collection that is sharded by anything but `_id`.
fn wrong_key(found: &Document) -> Option<&Document> {
    let is = |field| found.get_bool(field).unwrap_or(false);
    let key = found.get_document("key").ok()?;
    (!is("dropped") && !is("unsplittable") && !key.keys().eq(["_id"])).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: B34
    #[test]
    fn only_id_may_be_the_key() {
        assert_eq!(wrong_key(&doc! { "_id": "shop.orders.v1", "key": { "_id": 1 } }), None);
        assert_eq!(wrong_key(&doc! { "_id": "shop.orders.v1", "key": { "_id": "hashed" } }), None);
        for key in [doc! { "region": 1 }, doc! { "region": 1, "_id": 1 }, doc! { "_id": 1, "region": 1 }] {
            assert_eq!(wrong_key(&doc! { "_id": "shop.orders.v1", "key": &key }), Some(&key));
            assert_eq!(wrong_key(&doc! { "_id": "shop.orders.v1", "key": &key, "dropped": true }), None);
            assert_eq!(wrong_key(&doc! { "_id": "shop.orders.v1", "key": &key, "unsplittable": true }), None);
        }
    }
}

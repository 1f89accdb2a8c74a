//! What is checked and made when an event collection is opened.

use bson::{Document, RawDocumentBuf, doc};
use futures::TryStreamExt as _;
use mongodb::{
    Collection, Database,
    options::{CollectionOptions, ReadConcern, ReadPreference, SelectionCriteria},
};
use projection_core::{ErrorKind, StoreError};

use super::{MongoEvents, MongoEventsOptions, parse};
use crate::error::{DUPLICATE_KEY, Doing, code_of};

/// The code for a collection that is not there.
const NAMESPACE_NOT_FOUND: i32 = 26;

/// The collection, read so that nothing is seen that a failover could undo.
pub(super) fn majority(database: &Database, name: &str) -> Collection<RawDocumentBuf> {
    let options = CollectionOptions::builder()
        .selection_criteria(SelectionCriteria::ReadPreference(ReadPreference::Primary))
        .read_concern(ReadConcern::majority())
        .build();
    database.collection_with_options(name, options)
}

/// Positions are one order, which the shards of a cluster do not have together (spec: B34).
pub(super) async fn refuse_sharded(database: &Database, collection: &str) -> Result<(), StoreError> {
    let doing = Doing::new("opening the events in", collection);
    let hello = database.run_command(doc! { "hello": 1 }).await.map_err(|error| doing.failed(error))?;
    if hello.get_str("msg").is_ok_and(|msg| msg == "isdbgrid") {
        let message = "this is a router of a sharded cluster, and events cannot be read from one: connect to a \
                       replica set";
        return Err(doing.wrong(ErrorKind::Permanent, message));
    }
    Ok(())
}

/// Makes the indexes, or checks that one serves.
pub(super) async fn ensure_indexes(
    database: &Database,
    collection: &str,
    options: &MongoEventsOptions,
) -> Result<(), StoreError> {
    let fields = options.fields();
    if !options.makes_indexes() {
        return check_index(database, collection, &fields.position).await;
    }
    ensure_unique(database, collection, doc! { &fields.position: 1 }).await?;
    if fields.id != "_id" {
        // The id first: events are looked up by it, whatever source they have.
        ensure_unique(database, collection, doc! { &fields.id: 1, &fields.source: 1 }).await?;
    }
    Ok(())
}

async fn ensure_unique(database: &Database, collection: &str, keys: Document) -> Result<(), StoreError> {
    let doing = Doing::new("making an index of", collection);
    let fields: Vec<_> = keys.keys().cloned().collect();
    let name = fields.iter().map(|field| format!("{field}_1")).collect::<Vec<_>>().join("_");
    let index = doc! { "key": keys, "name": &name, "unique": true };
    let Err(error) = database.run_command(doc! { "createIndexes": collection, "indexes": [index] }).await else {
        return Ok(());
    };
    let message = match code_of(&error) {
        Some(85 | 86) => format!(
            "an index over `{}` is there with other options than `unique`: drop it, or open the events with \
             `MongoEventsOptions::without_making_indexes`; {}",
            fields.join("`, `"),
            error.kind
        ),
        Some(DUPLICATE_KEY) => {
            format!("two events have the same `{}`, which must be unique; {}", fields.join("` and `"), error.kind)
        }
        _ => return Err(doing.failed(error)),
    };
    Err(doing.wrong(ErrorKind::Permanent, message))
}

async fn check_index(database: &Database, collection: &str, position: &str) -> Result<(), StoreError> {
    let doing = Doing::new("looking for an index of", collection);
    let indexes = match database.collection::<Document>(collection).list_indexes().await {
        Ok(indexes) => indexes.try_collect::<Vec<_>>().await.map_err(|error| doing.failed(error))?,
        Err(error) if code_of(&error) == Some(NAMESPACE_NOT_FOUND) => Vec::new(),
        Err(error) => return Err(doing.failed(error)),
    };
    let serves = |index: &mongodb::IndexModel| {
        let options = index.options.as_ref();
        index.keys.keys().next().is_some_and(|first| first == position)
            && options.is_none_or(|options| options.partial_filter_expression.is_none())
            && options.and_then(|options| options.hidden) != Some(true)
    };
    if indexes.iter().any(serves) {
        return Ok(());
    }
    let message = format!(
        "no index begins with `{position}`, so each page would read the whole collection: make one with \
         `createIndex({{ {position}: 1 }}, {{ unique: true }})`"
    );
    Err(doing.wrong(ErrorKind::Permanent, message))
}

impl MongoEvents {
    /// An event without a number above 0 as its position would never be read, and nobody would know.
    pub(super) async fn check_positions(&self) -> Result<(), StoreError> {
        let position = &self.fields().position;
        let others = [
            "string",
            "object",
            "array",
            "binData",
            "objectId",
            "bool",
            "date",
            "timestamp",
            "regex",
            "minKey",
            "maxKey",
        ];
        // One query for each, so that each is answered by the index.
        for bad in [
            doc! { position: { "$lte": 0 } },
            doc! { position: null },
            doc! { position: { "$type": others.as_slice() } },
        ] {
            let found = self.collection.find_one(bad).await.map_err(|error| self.reading.failed(error))?;
            if let Some(event) = found {
                let why = parse::position_of(&event, self.fields()).err();
                let why = why.unwrap_or_else(|| parse::BadEvent::new(&event, position, "is not above 0"));
                return Err(self.bad_event(&why));
            }
        }
        Ok(())
    }
}

//! What is checked and made when an event collection is opened.

use std::{sync::Arc, time::Duration};

use bson::{Document, RawDocumentBuf, doc};
use futures::TryStreamExt as _;
use mongodb::{
    Collection, Database, IndexModel,
    options::{CollectionOptions, ReadConcern, ReadPreference, SelectionCriteria},
};
use projection_core::{ErrorKind, StoreError};

use super::{MongoEvents, MongoEventsOptions, parse, positions::Positions};
use crate::{
    bulk::Target,
    error::{DUPLICATE_KEY, Doing, NAMESPACE_NOT_FOUND, UNAUTHORIZED, code_of},
    topology,
};

/// How long it is looked for events without a position.
const LIMIT: Duration = Duration::from_secs(10);
/// The code of a statement that took longer than it may.
const TOO_LONG: i32 = 50;

/// The collection, read so that nothing is seen that a failover could undo.
pub(super) fn majority(database: &Database, name: &str) -> Collection<RawDocumentBuf> {
    let options = CollectionOptions::builder()
        .selection_criteria(SelectionCriteria::ReadPreference(ReadPreference::Primary))
        .read_concern(ReadConcern::majority())
        .build();
    database.collection_with_options(name, options)
}

/// What kind of server it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Server {
    Standalone,
    ReplicaSet,
}

impl Server {
    /// Asks; refuses a sharded cluster. Positions are one order, which shards do not have together (spec: B34).
    pub(super) async fn of(database: &Database, collection: &str) -> Result<Self, StoreError> {
        let doing = Doing::new("opening the events in", collection);
        match topology::kind(database).await.map_err(|error| doing.failed(error))? {
            topology::Kind::Standalone => Ok(Self::Standalone),
            topology::Kind::Member => Ok(Self::ReplicaSet),
            topology::Kind::Router => {
                let message = "this is a router of a sharded cluster, and events cannot be read from one: connect to a \
                               replica set";
                Err(doing.wrong(ErrorKind::Permanent, message))
            }
        }
    }
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
    ensure_unique(database, collection, doc! { &fields.position: 1 }, None).await?;
    if fields.id != "_id" {
        // The id first: events are looked up by it, whatever source they have.
        ensure_unique(database, collection, doc! { &fields.id: 1, &fields.source: 1 }, None).await?;
    }
    if options.appends() {
        let stream = doc! { &fields.stream: 1, &fields.stream_version: 1 };
        // Imported events need not have one.
        let versioned = doc! { &fields.stream_version: { "$gt": 0 } };
        ensure_unique(database, collection, stream, Some(versioned)).await?;
    }
    Ok(())
}

async fn ensure_unique(
    database: &Database,
    collection: &str,
    keys: Document,
    of: Option<Document>,
) -> Result<(), StoreError> {
    let doing = Doing::new("making an index of", collection);
    let fields: Vec<_> = keys.keys().cloned().collect();
    let name = fields.iter().map(|field| format!("{field}_1")).collect::<Vec<_>>().join("_");
    let mut index = doc! { "key": keys, "name": &name, "unique": true };
    index.extend(of.map(|of| ("partialFilterExpression".to_owned(), of.into())));
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
        Some(UNAUTHORIZED) => format!(
            "{}; or make the indexes as another user, and open the events with \
             `MongoEventsOptions::without_making_indexes`",
            doing.failed(error)
        ),
        Some(DUPLICATE_KEY) => {
            format!("two events have the same `{}`, which must be unique; {}", fields.join("` and `"), error.kind)
        }
        _ => return Err(doing.failed(error)),
    };
    Err(doing.wrong(ErrorKind::Permanent, message))
}

async fn indexes(database: &Database, collection: &str, doing: &Doing) -> Result<Vec<IndexModel>, StoreError> {
    match database.collection::<Document>(collection).list_indexes().await {
        Ok(indexes) => indexes.try_collect().await.map_err(|error| doing.failed(error)),
        Err(error) if code_of(&error) == Some(NAMESPACE_NOT_FOUND) => Ok(Vec::new()),
        Err(error) => Err(doing.failed(error)),
    }
}

async fn check_index(database: &Database, collection: &str, position: &str) -> Result<(), StoreError> {
    let doing = Doing::new("looking for an index of", collection);
    let indexes = indexes(database, collection, &doing).await?;
    let serves = |index: &IndexModel| {
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
    /// Gets ready to append, or says why that cannot be.
    pub(super) async fn prepare_appending(
        &mut self,
        server: Server,
        positions: Positions,
    ) -> Result<(), StoreError> {
        let doing = Doing::new("opening the events in", &self.target.collection);
        if server == Server::Standalone {
            self.refusal = Some(Arc::from(
                "a standalone server has no transactions: make it a replica set, which may have one member",
            ));
            return Ok(());
        }
        if !self.options.appends() {
            if positions.exist().await? {
                let message = format!(
                    "its events were appended by this crate, as `{}` shows, and would be passed over: open it with \
                     `MongoEventsOptions::appending`; or remove that collection, if others write the events now",
                    positions.target().collection
                );
                return Err(doing.wrong(ErrorKind::Permanent, message));
            }
            self.refusal = Some(Arc::from(
                "its events are written by others: open it with `MongoEventsOptions::appending` if they are not",
            ));
            return Ok(());
        }
        positions.raise(self.highest().await?).await?;
        if !self.options.makes_indexes() {
            self.refusal = self.missing_index().await?.map(Arc::from);
        }
        self.positions = Some(positions);
        Ok(())
    }

    /// A unique index that appending needs and that is not there.
    async fn missing_index(&self) -> Result<Option<String>, StoreError> {
        let (fields, Target { database, collection }) = (self.fields(), &self.target);
        let mut needed = vec![vec![&fields.position], vec![&fields.stream, &fields.stream_version]];
        if fields.id != "_id" {
            needed.push(vec![&fields.id, &fields.source]);
        }
        let there = indexes(database, collection, &self.appending).await?;
        let is_unique =
            |index: &&IndexModel| index.options.as_ref().is_some_and(|options| options.unique == Some(true));
        let is_there = |keys: &Vec<&String>| {
            there.iter().filter(is_unique).any(|index| index.keys.keys().eq(keys.iter().copied()))
        };
        Ok(needed.into_iter().find(|keys| !is_there(keys)).map(|keys| {
            let keys = keys.into_iter().map(|key| format!("{key}: 1")).collect::<Vec<_>>().join(", ");
            format!("a unique index {{ {keys} }} is missing, without which two appends could give one place twice")
        }))
    }

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
            let found = match self.collection.find_one(bad).max_time(LIMIT).await {
                Ok(found) => found,
                Err(error) if code_of(&error) == Some(TOO_LONG) => {
                    tracing::warn!(
                        position,
                        "it was not checked that every event has a position: an index that is sparse cannot tell, and \
                         looking at all takes too long"
                    );
                    continue;
                }
                Err(error) => return Err(self.reading.failed(error)),
            };
            if let Some(event) = found {
                let why = parse::position_of(&event, self.fields()).err();
                let why = why.unwrap_or_else(|| parse::BadEvent::new(&event, position, "is not above 0"));
                return Err(self.bad_event(&why));
            }
        }
        Ok(())
    }
}

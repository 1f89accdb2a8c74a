//! Versions of a view: the collections, which of them `<name>` shows, and the indexes of one that is about to be shown.

use async_trait::async_trait;
use bson::{Document, doc};
use futures::{StreamExt as _, TryStreamExt as _};
use mongodb::Database;
use projection_core::{
    ErrorKind, KeyRef, StoreError,
    store::{Preparation, ViewVersions},
};

use super::{indexes, names};
use crate::{
    error::{Doing, NAMESPACE_NOT_FOUND, code_of},
    find, id,
};

/// How many ids a reply holds.
const IDS: u32 = 10_000;

pub(super) struct MongoVersions {
    database: Database,
}

impl MongoVersions {
    pub(super) fn new(database: Database) -> Self {
        Self { database }
    }

    /// The indexes of a collection, as the server describes them; none where there is no collection.
    async fn indexes(&self, collection: &str) -> Result<Vec<Document>, StoreError> {
        let doing = Doing::new("listing the indexes of", collection);
        match self.database.run_cursor_command(doc! { "listIndexes": collection }).await {
            Ok(cursor) => cursor.try_collect().await.map_err(|error| doing.failed(error)),
            Err(error) if code_of(&error) == Some(NAMESPACE_NOT_FOUND) => Ok(Vec::new()),
            Err(error) => Err(doing.failed(error)),
        }
    }

    /// Gives `to` the indexes of `from` that it does not have.
    async fn copy(&self, from: &str, to: &str, without: &[String]) -> Result<(), StoreError> {
        let there = self.indexes(to).await?;
        for mut index in self.indexes(from).await? {
            let name = index.get_str("name").unwrap_or_default().to_owned();
            let is_there = there.iter().any(|one| one.get("key") == index.get("key"));
            if name == "_id_" || is_there || without.contains(&name) {
                continue;
            }
            ["v", "ns"].iter().for_each(|of_there| drop(index.remove(of_there)));
            tracing::info!(from, to, index = name, "an index is copied");
            let command = doc! { "createIndexes": to, "indexes": [index] };
            if let Err(error) = self.database.run_command(command).await {
                let message = format!(
                    "the index `{name}` of `{from}` cannot be copied; drop it there, or leave it out by \
                     `Rebuild::without_index({name:?})`: {}",
                    error.kind
                );
                let doing = Doing::new("making an index of", to);
                return Err(doing.wrong(doing.failed(error).kind(), message));
            }
        }
        Ok(())
    }
}

#[async_trait]
impl ViewVersions for MongoVersions {
    async fn shown(&self, projection: &str) -> Result<Option<u32>, StoreError> {
        let Some(shown) = names::shown(&self.database, projection).await? else { return Ok(None) };
        let version = names::version_of(projection, &shown);
        let wrong = || {
            let message = format!(
                "it shows `{shown}`, which is no version of it: drop this view, and it is made when a process starts"
            );
            Doing::new("looking which version is shown:", projection).wrong(ErrorKind::Permanent, message)
        };
        version.map(Some).ok_or_else(wrong)
    }

    async fn prepare(&self, preparation: Preparation<'_>) -> Result<(), StoreError> {
        let collection = names::versioned(preparation.projection, preparation.version);
        indexes::ensure(&self.database, &collection, preparation.indexes).await?;
        match preparation.like {
            Some(like) => {
                let like = names::versioned(preparation.projection, like);
                self.copy(&like, &collection, preparation.without).await
            }
            None => Ok(()),
        }
    }

    async fn show(&self, projection: &str, version: u32) -> Result<(), StoreError> {
        names::show(&self.database, projection, &names::versioned(projection, version)).await
    }

    async fn ids(
        &self,
        projection: &str,
        version: u32,
        each: &mut (dyn for<'k> FnMut(KeyRef<'k>) + Send),
    ) -> Result<(), StoreError> {
        let name = names::versioned(projection, version);
        let doing = Doing::new("reading the ids of", &name);
        let documents = find::primary(&self.database, &name);
        let found =
            documents.find(doc! {}).projection(doc! { "_id": 1 }).hint(mongodb::options::Hint::Name("_id_".into()));
        let mut batches = found.batch_size(IDS).batch().await.map_err(|error| doing.failed(error))?;
        while let Some(batch) = batches.next().await {
            let batch = batch.map_err(|error| doing.failed(error))?;
            for document in batch.doc_slices().map_err(|error| doing.failed(error))? {
                let document = document.map_err(|error| doing.failed(error.into()))?;
                let found = document.as_document().and_then(|document| document.get("_id").ok().flatten());
                let key = found.and_then(id::from_bson);
                each(key.ok_or_else(|| doing.wrong(ErrorKind::Permanent, "there is an `_id` that is no key"))?);
            }
        }
        Ok(())
    }
}

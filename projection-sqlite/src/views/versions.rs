//! Versions of a view: the tables, and which of them the SQL view shows.

use async_trait::async_trait;
use projection_core::{
    ErrorKind, KeyRef, StoreError,
    store::{Preparation, ViewVersions},
};
use rusqlite::{Connection, types::Value};

use super::{indexes, names};
use crate::{database::Database, error::Doing, sql::quoted};

/// How many ids are read at once.
const IDS: usize = 10_000;

pub(super) struct SqliteVersions {
    database: Database,
}

impl SqliteVersions {
    pub(super) fn new(database: Database) -> Self {
        Self { database }
    }
}

#[async_trait]
impl ViewVersions for SqliteVersions {
    async fn shown(&self, projection: &str) -> Result<Option<u32>, StoreError> {
        let (doing, view) = (Doing::new("looking which version is shown:", projection), projection.to_owned());
        self.database.read(&doing, move |connection| names::shown(connection, &view)).await
    }

    /// Makes those that the projection declares. Indexes that somebody made by hand are named in a warning: in a file,
    /// names of indexes are unique, so none can be on two tables.
    async fn prepare(&self, preparation: Preparation<'_>) -> Result<(), StoreError> {
        let table = names::versioned(preparation.projection, preparation.version);
        let former = preparation.like.map(|like| names::versioned(preparation.projection, like));
        let declared = preparation.indexes.to_vec();
        let doing = Doing::new("making an index of", &table);
        let of = doing.clone();
        let job = move |transaction: &mut rusqlite::Transaction<'_>| {
            indexes::ensure(transaction, &table, &declared)?;
            former.map_or(Ok(Vec::new()), |former| by_hand(transaction, &former)).map_err(|error| of.failed(error))
        };
        let by_hand = self.database.write(&doing, job).await?;
        for index in by_hand.iter().filter(|index| !preparation.without.contains(index)) {
            tracing::warn!(index, "an index that was made by hand is not copied to the new version: make it there");
        }
        Ok(())
    }

    async fn show(&self, projection: &str, version: u32) -> Result<(), StoreError> {
        let (doing, view) = (Doing::new("re-pointing the view", projection), projection.to_owned());
        let table = names::versioned(projection, version);
        self.database.write(&doing, move |transaction| names::show(transaction, &view, &table)).await
    }

    async fn ids(
        &self,
        projection: &str,
        version: u32,
        each: &mut (dyn for<'k> FnMut(KeyRef<'k>) + Send),
    ) -> Result<(), StoreError> {
        let table = names::versioned(projection, version);
        let doing = Doing::new("reading the ids of", &table);
        let mut last = None;
        loop {
            let (of, table, after) = (doing.clone(), table.clone(), last.take());
            let page = self
                .database
                .read(&doing, move |connection| page(connection, &table, after).map_err(|error| of.failed(error)));
            let page = page.await?;
            for id in &page {
                each(key(id).ok_or_else(|| doing.wrong(ErrorKind::Permanent, "there is an id that is no key"))?);
            }
            match page.len() {
                IDS => last = page.into_iter().next_back(),
                _ => return Ok(()),
            }
        }
    }
}

/// Indexes of a table that are not ours.
fn by_hand(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let select = "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ?1 AND sql IS NOT NULL";
    let mut statement = connection.prepare(select)?;
    let names = statement.query_map([table], |row| row.get::<_, String>(0))?;
    let ours = format!("{table}.");
    names.filter(|name| name.as_ref().map_or(true, |name| !name.starts_with(&ours))).collect()
}

/// Ids of instances that exist, after this one, in their order.
fn page(connection: &Connection, table: &str, after: Option<Value>) -> rusqlite::Result<Vec<Value>> {
    let from = if after.is_some() { " AND id > ?1" } else { "" };
    let table = quoted(table);
    let select = format!("SELECT id FROM {table} WHERE state IS NOT NULL{from} ORDER BY id LIMIT {IDS}");
    let mut statement = connection.prepare(&select)?;
    statement.query_map(rusqlite::params_from_iter(after), |row| row.get(0))?.collect()
}

fn key(id: &Value) -> Option<KeyRef<'_>> {
    match id {
        Value::Text(text) => Some(KeyRef::Text(text)),
        Value::Integer(int) => Some(KeyRef::Int(*int)),
        Value::Blob(bytes) => Some(KeyRef::Bytes(bytes)),
        Value::Null | Value::Real(_) => None,
    }
}

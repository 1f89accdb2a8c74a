//! Versions of views in memory. Nobody queries by a name there, but a rebuild goes the same way as in a database.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::repository::Database;
use crate::{
    KeyRef, StoreError,
    store::{Preparation, ViewVersions},
};

pub(super) struct InMemoryVersions {
    database: Arc<Mutex<Database>>,
}

impl InMemoryVersions {
    pub(super) fn of(database: Arc<Mutex<Database>>) -> Self {
        Self { database }
    }

    fn lock(&self) -> MutexGuard<'_, Database> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ViewVersions for InMemoryVersions {
    async fn shown(&self, projection: &str) -> Result<Option<u32>, StoreError> {
        Ok(self.lock().shown.get(projection).copied())
    }

    async fn prepare(&self, preparation: Preparation<'_>) -> Result<(), StoreError> {
        let mut database = self.lock();
        let mut tables = database.tables.iter_mut();
        let is_it = |name: &(&str, u32)| *name == (preparation.projection, preparation.version);
        match tables.find(|(name, _)| is_it(name)) {
            Some((_, table)) => table.ensure_indexes(preparation.indexes),
            None => Ok(()),
        }
    }

    async fn show(&self, projection: &str, version: u32) -> Result<(), StoreError> {
        self.lock().shown.insert(projection.to_owned(), version);
        Ok(())
    }

    async fn ids(
        &self,
        projection: &str,
        version: u32,
        each: &mut (dyn for<'k> FnMut(KeyRef<'k>) + Send),
    ) -> Result<(), StoreError> {
        let database = self.lock();
        let tables = database.tables.iter().filter(|(name, _)| **name == (projection, version));
        tables.flat_map(|(_, table)| table.states()).for_each(|(id, _)| each(id));
        Ok(())
    }
}

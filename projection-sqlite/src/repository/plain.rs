//! States found, saved and deleted by id, without positions.

use std::sync::Arc;

use async_trait::async_trait;
use projection_core::{Key, StoreError, ViewStateRepository, projection::ViewState, store::GuardedRepository};
use rusqlite::{Transaction, params};

use super::{SqliteRepository, StateText, row::Find};
use crate::{error::unique_violation, sql::Id};

#[async_trait]
impl<S: ViewState, Id_: Key> ViewStateRepository<S, Id_> for SqliteRepository<S, Id_> {
    async fn find_by_id(&self, id: &Id_) -> Result<Option<S>, StoreError> {
        let found = self.find_all_by_id(std::slice::from_ref(id)).await?;
        Ok(found.into_iter().next().map(|(_, state)| state))
    }

    async fn save(&self, id: &Id_, state: &S) -> Result<(), StoreError> {
        self.save_all(&[(id, state)]).await
    }

    async fn delete(&self, id: &Id_) -> Result<(), StoreError> {
        let (id, table) = (id.clone(), Arc::clone(&self.table));
        let delete = move |transaction: &mut Transaction<'_>| {
            let failed = |error| table.writing.failed(error);
            let mut delete = transaction.prepare_cached(&table.statements.delete).map_err(failed)?;
            delete.execute([Id(id.as_key())]).map(drop).map_err(failed)
        };
        self.database.write(&self.table.writing, delete).await
    }

    async fn find_all_by_id(&self, ids: &[Id_]) -> Result<Vec<(usize, S)>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let (ids, table) = (ids.to_vec(), Arc::clone(&self.table));
        let find = move |transaction: &Transaction<'_>| {
            let statement = transaction.prepare_cached(&table.statements.find);
            let mut find = Find { statement: statement.map_err(|error| table.reading.failed(error))? };
            let mut found = Vec::with_capacity(ids.len());
            for (place, id) in ids.iter().enumerate() {
                found.extend(find.state(&table, id.as_key())?.map(|state| (place, state)));
            }
            Ok(found)
        };
        self.database.read(&self.table.reading, find).await
    }

    /// One transaction. What a unique index refuses is left out, and named by the error; the others are saved.
    async fn save_all(&self, states: &[(&Id_, &S)]) -> Result<(), StoreError> {
        if states.is_empty() {
            return Ok(());
        }
        let encode = |(id, state): &(&Id_, &S)| {
            Ok(((*id).clone(), StateText::encode(id.as_key(), *state, &self.table.unique)?))
        };
        let states: Vec<(Id_, StateText)> = states.iter().map(encode).collect::<Result<_, StoreError>>()?;
        let table = Arc::clone(&self.table);
        let save = move |transaction: &mut Transaction<'_>| {
            let failed = |error| table.writing.failed(error);
            let mut save = transaction.prepare_cached(&table.statements.save).map_err(failed)?;
            let mut first = Ok(());
            for (id, StateText { json, is_value }) in &states {
                let saved = save.execute(params![Id(id.as_key()), json, is_value]);
                let saved = saved.map(drop).map_err(|error| match unique_violation(&error) {
                    Some(refused) => Ok(table.not_unique(id.as_key(), refused)),
                    None => Err(failed(error)),
                });
                match saved {
                    Ok(()) => {}
                    Err(Ok(refused)) => first = first.and(Err(refused)),
                    Err(Err(error)) => return Err(error),
                }
            }
            Ok(first)
        };
        self.database.write(&self.table.writing, save).await?
    }

    fn guarded(&self) -> Option<&dyn GuardedRepository<S, Id_>> {
        Some(self)
    }
}

//! States with the positions of their last events: loaded together, written if they are still where they were.

use std::sync::Arc;

use async_trait::async_trait;
use projection_core::{
    Key, Position, StoreError,
    projection::ViewState,
    store::{ChangeOutcome, CheckpointOutcome, Commit, Committed, GuardedRepository, Stored},
};
use rusqlite::{Transaction, params};

use super::{
    SqliteRepository,
    commit::{Batch, Done},
    row::Find,
};

#[async_trait]
impl<S: ViewState, Id: Key> GuardedRepository<S, Id> for SqliteRepository<S, Id> {
    async fn load(&self, ids: &[Id]) -> Result<Vec<(usize, Stored<S>)>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let (ids, table) = (ids.to_vec(), Arc::clone(&self.table));
        let load = move |transaction: &Transaction<'_>| {
            let statement = transaction.prepare_cached(&table.statements.find);
            let mut find = Find { statement: statement.map_err(|error| table.reading.failed(error))? };
            let mut found = Vec::with_capacity(ids.len());
            for (place, id) in ids.iter().enumerate() {
                found.extend(find.stored(&table, id.as_key())?.map(|stored| (place, stored)));
            }
            Ok(found)
        };
        self.database.read(&self.table.reading, load).await
    }

    async fn is_empty(&self) -> Result<bool, StoreError> {
        let table = Arc::clone(&self.table);
        let any = move |transaction: &Transaction<'_>| {
            let any = transaction.query_row(&table.statements.any, [], |row| row.get::<_, bool>(0));
            any.map_err(|error| table.reading.failed(error))
        };
        Ok(!self.database.read(&self.table.reading, any).await?)
    }

    /// One transaction: the fence is checked, each change is written or not, and the checkpoint is stored if all were.
    /// An error of the transaction leaves each outcome unknown; except where a commit itself fails, nothing is stored.
    async fn commit(&self, commit: Commit<'_, S, Id>) -> Committed {
        if commit.changes.is_empty() && commit.fence.is_none() && commit.checkpoint.is_none() {
            return Committed { outcomes: Vec::new(), checkpoint: CheckpointOutcome::NotJoined };
        }
        let (batch, refused) = Batch::encode(&self.table, &commit);
        let table = Arc::clone(&self.table);
        let done =
            self.database.write(&self.table.writing, move |transaction| batch.write(transaction, &table)).await;
        self.outcomes(&commit, done, refused)
    }

    async fn checkpoint_passed(&self, passed: Position) -> Result<(), StoreError> {
        let table = Arc::clone(&self.table);
        let bury = move |transaction: &mut Transaction<'_>| {
            let failed = |error| table.writing.failed(error);
            let mut bury = transaction.prepare_cached(&table.statements.bury).map_err(failed)?;
            bury.execute(params![passed.as_i64(), table.source.as_str()]).map(drop).map_err(failed)
        };
        self.database.write(&self.table.writing, bury).await
    }
}

impl<S: ViewState, Id: Key> SqliteRepository<S, Id> {
    /// Puts together what was refused beforehand and what became of the rest.
    fn outcomes(
        &self,
        commit: &Commit<'_, S, Id>,
        done: Result<Done, StoreError>,
        refused: Vec<(usize, StoreError)>,
    ) -> Committed {
        let all = |outcome: &dyn Fn() -> ChangeOutcome| commit.changes.iter().map(|_| outcome()).collect();
        let (mut outcomes, checkpoint): (Vec<ChangeOutcome>, _) = match done {
            Ok(Done::Fenced) => {
                return Committed { outcomes: all(&|| ChangeOutcome::Lost), checkpoint: CheckpointOutcome::Fenced };
            }
            Ok(Done::Written { rows, checkpoint }) => {
                let mut outcomes: Vec<ChangeOutcome> = all(&|| ChangeOutcome::Lost);
                for (place, outcome) in rows {
                    let id = commit.changes[place].id.as_key();
                    outcomes[place] = outcome.of(&self.table, id);
                }
                let stored = if checkpoint { CheckpointOutcome::Stored } else { CheckpointOutcome::NotJoined };
                (outcomes, stored)
            }
            Err(error) => {
                let unknown = || ChangeOutcome::Unknown(error.clone());
                let joined = commit.checkpoint.is_some() && refused.is_empty();
                let checkpoint =
                    if joined { CheckpointOutcome::Unknown(error.clone()) } else { CheckpointOutcome::NotJoined };
                (all(&unknown), checkpoint)
            }
        };
        for (place, error) in refused {
            outcomes[place] = ChangeOutcome::Rejected(error);
        }
        Committed { outcomes, checkpoint }
    }
}

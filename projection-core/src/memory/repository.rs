//! The repository of one view in memory.

use std::{
    collections::HashMap,
    fmt,
    marker::PhantomData,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;

use super::{
    checkpoints::CheckpointTable,
    leases::LeaseTable,
    state::StateText,
    table::{NotWritten, Row, Table},
};
use crate::{
    ErrorKind, Key, KeyRef, Position, StoreError, ViewStateRepository,
    projection::ViewState,
    store::{Change, ChangeOutcome, CheckpointOutcome, Commit, Committed, GuardedRepository, SourceName, Stored},
};

/// All views and their checkpoints, under one lock.
#[derive(Debug, Default)]
pub(super) struct Database {
    pub(super) tables: HashMap<TableName, Table>,
    pub(super) checkpoints: CheckpointTable,
    pub(super) leases: LeaseTable,
    /// Which version of a view readers see.
    pub(super) shown: HashMap<String, u32>,
}

/// A projection's name and version.
pub(super) type TableName = (&'static str, u32);

/// The repository of one view, fed from one source.
pub(super) struct Repository<S, Id> {
    database: Arc<Mutex<Database>>,
    name: TableName,
    source: SourceName,
    types: PhantomData<fn(S, Id)>,
}

/// What is stored cannot be guarded by this repository's positions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Unguarded {
    #[error(
        "instance {instance} has a position of `{found}`, and this view is now fed from `{expected}`: feed it from `{found}`, or raise the projection's version"
    )]
    OtherSource { instance: String, found: SourceName, expected: SourceName },
    #[error(
        "instance {instance} has no position: it was saved without a guard, so what it holds is not known; raise the projection's version"
    )]
    NoPosition { instance: String },
}

impl<S: ViewState, Id: Key> Repository<S, Id> {
    pub(super) fn new(database: Arc<Mutex<Database>>, name: TableName, source: SourceName) -> Self {
        Self { database, name, source, types: PhantomData }
    }

    fn lock(&self) -> MutexGuard<'_, Database> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn table<'a>(&self, database: &'a mut Database) -> &'a mut Table {
        database.tables.entry(self.name).or_default()
    }

    fn find(&self, id: KeyRef<'_>) -> Result<Option<S>, StoreError> {
        let mut database = self.lock();
        let row = self.table(&mut database).get(id);
        row.and_then(|row| row.state.as_ref()).map(|state| state.decode(id)).transpose()
    }

    fn stored(&self, id: KeyRef<'_>, row: &Row) -> Result<Stored<S>, StoreError> {
        let instance = || id.to_string();
        let position = match &row.at {
            None => return Err(StoreError::permanent(Unguarded::NoPosition { instance: instance() })),
            Some((found, _)) if *found != self.source => {
                return Err(StoreError::permanent(Unguarded::OtherSource {
                    instance: instance(),
                    found: found.clone(),
                    expected: self.source.clone(),
                }));
            }
            Some((_, position)) => *position,
        };
        Ok(Stored {
            state: row.state.as_ref().map(|state| state.decode(id)).transpose()?,
            position,
            offered: row.offered.clone(),
            bytes: row.state.as_ref().map_or(0, StateText::len),
        })
    }

    fn write(&self, table: &mut Table, change: &Change<'_, S, Id>) -> ChangeOutcome {
        let id = change.id.as_key();
        let state = match change.state.map(|state| StateText::encode(id, state)).transpose() {
            Ok(state) => state,
            Err(refused) => return ChangeOutcome::Rejected(refused.into()),
        };
        let bytes = state.as_ref().map_or(0, StateText::len);
        let at = Some((self.source.clone(), change.position));
        let row = Row { state, at, offered: change.offered.to_vec() };
        match table.put_if(id, row, change.expected, &self.source) {
            Ok(()) => ChangeOutcome::Written { bytes },
            Err(NotWritten::Lost) => ChangeOutcome::Lost,
            Err(NotWritten::Refused(error)) => ChangeOutcome::Rejected(error),
        }
    }
}

#[async_trait]
impl<S: ViewState, Id: Key> ViewStateRepository<S, Id> for Repository<S, Id> {
    async fn find_by_id(&self, id: &Id) -> Result<Option<S>, StoreError> {
        self.find(id.as_key())
    }

    async fn save(&self, id: &Id, state: &S) -> Result<(), StoreError> {
        self.save_all(&[(id, state)]).await
    }

    async fn delete(&self, id: &Id) -> Result<(), StoreError> {
        self.table(&mut self.lock()).remove(id.as_key());
        Ok(())
    }

    async fn save_all(&self, states: &[(&Id, &S)]) -> Result<(), StoreError> {
        let encoded: Vec<_> = states
            .iter()
            .map(|(id, state)| Ok((id.as_key(), StateText::encode(id.as_key(), *state)?)))
            .collect::<Result<_, StoreError>>()?;
        let mut database = self.lock();
        let table = self.table(&mut database);
        let mut first = Ok(());
        for (id, state) in encoded {
            let saved = table.put(id, Row { state: Some(state), at: None, offered: Vec::new() });
            first = first.and(saved);
        }
        first
    }

    fn guarded(&self) -> Option<&dyn GuardedRepository<S, Id>> {
        Some(self)
    }
}

#[async_trait]
impl<S: ViewState, Id: Key> GuardedRepository<S, Id> for Repository<S, Id> {
    async fn load(&self, ids: &[Id]) -> Result<Vec<(usize, Stored<S>)>, StoreError> {
        let mut database = self.lock();
        let table = self.table(&mut database);
        let mut found = Vec::new();
        for (place, id) in ids.iter().enumerate() {
            if let Some(row) = table.get(id.as_key()) {
                found.push((place, self.stored(id.as_key(), row)?));
            }
        }
        Ok(found)
    }

    async fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.table(&mut self.lock()).is_empty())
    }

    async fn commit(&self, commit: Commit<'_, S, Id>) -> Committed {
        let mut database = self.lock();
        if commit.fence.is_some_and(|fence| !database.leases.admits(self.name.0, fence)) {
            let outcomes = commit.changes.iter().map(|_| ChangeOutcome::Lost).collect();
            return Committed { outcomes, checkpoint: CheckpointOutcome::Fenced };
        }
        let table = self.table(&mut database);
        let mut outcomes: Vec<_> = commit.changes.iter().map(|change| self.write(table, change)).collect();

        // A unique value may have moved from one instance of this batch to another: try again what it refused,
        // as long as that gets further.
        loop {
            let mut further = false;
            for (change, outcome) in commit.changes.iter().zip(&mut outcomes) {
                if refused_by_index(outcome) {
                    *outcome = self.write(table, change);
                    further |= !refused_by_index(outcome);
                }
            }
            if !further {
                break;
            }
        }

        let all_written = outcomes.iter().all(|outcome| matches!(outcome, ChangeOutcome::Written { .. }));
        let checkpoint = match commit.checkpoint {
            Some(checkpoint) if all_written => {
                database.checkpoints.save(checkpoint);
                CheckpointOutcome::Stored
            }
            _ => CheckpointOutcome::NotJoined,
        };
        Committed { outcomes, checkpoint }
    }

    async fn checkpoint_passed(&self, passed: Position) -> Result<(), StoreError> {
        self.table(&mut self.lock()).remove_tombstones(&self.source, passed);
        Ok(())
    }
}

fn refused_by_index(outcome: &ChangeOutcome) -> bool {
    matches!(outcome, ChangeOutcome::Rejected(error) if error.kind() == ErrorKind::Unique)
}

impl<S, Id> fmt::Debug for Repository<S, Id> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repository").field("name", &self.name).field("source", &self.source).finish_non_exhaustive()
    }
}

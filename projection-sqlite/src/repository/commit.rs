//! Writes a batch in one transaction: the fence, the changes, the checkpoint.

use projection_core::{
    Key, KeyRef, StoreError,
    projection::ViewState,
    store::{Change, ChangeOutcome, Checkpoint, Commit, Expected, Fence},
};
use rusqlite::{CachedStatement, Transaction, params};

use super::{StateText, Table};
use crate::{checkpoints, error::unique_violation, leases, sql::Id, views};

/// A batch, encoded: it outlives the call.
pub(super) struct Batch<Id> {
    rows: Vec<Row<Id>>,
    fence: Option<Fence>,
    checkpoint: Option<Checkpoint>,
}

/// A change, encoded.
struct Row<Id> {
    place: usize,
    id: Id,
    state: Option<StateText>,
    position: i64,
    offered: Option<String>,
    expected: Expected,
}

/// What became of a batch.
pub(super) enum Done {
    /// Another owner has the fence: nothing is written.
    Fenced,
    /// Each row has an outcome, with its place.
    Written { rows: Vec<(usize, Outcome)>, checkpoint: bool },
}

/// What became of one row.
pub(super) enum Outcome {
    Written {
        bytes: usize,
    },
    Lost,
    /// A unique index refuses it; what SQLite said.
    NotUnique(String),
}

impl Outcome {
    pub(super) fn of(self, table: &Table, id: KeyRef<'_>) -> ChangeOutcome {
        match self {
            Self::Written { bytes } => ChangeOutcome::Written { bytes },
            Self::Lost => ChangeOutcome::Lost,
            Self::NotUnique(said) => ChangeOutcome::Rejected(table.not_unique(id, &said)),
        }
    }
}

/// A unique index refuses a state (spec: P32).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "instance {instance} breaks the unique index {index} of `{table}`: another instance has its values already"
)]
struct NotUnique {
    instance: String,
    index: String,
    table: String,
}

impl Table {
    pub(super) fn not_unique(&self, id: KeyRef<'_>, said: &str) -> StoreError {
        let index = views::refused_by(said, &self.name);
        StoreError::unique(NotUnique { instance: id.to_string(), index, table: self.name.clone() })
    }
}

impl<K: Key> Batch<K> {
    /// Encodes the changes. Those that cannot be are left out, each with its place; the checkpoint is then left out too.
    pub(super) fn encode<S: ViewState>(
        table: &Table,
        commit: &Commit<'_, S, K>,
    ) -> (Self, Vec<(usize, StoreError)>) {
        let mut rows = Vec::with_capacity(commit.changes.len());
        let mut refused = Vec::new();
        for (place, change) in commit.changes.iter().enumerate() {
            match Row::encode(table, place, change) {
                Ok(row) => rows.push(row),
                Err(error) => refused.push((place, error)),
            }
        }
        let checkpoint = commit.checkpoint.filter(|_| refused.is_empty()).cloned();
        (Self { rows, fence: commit.fence.cloned(), checkpoint }, refused)
    }

    /// Writes what can be written.
    pub(super) fn write(self, transaction: &Transaction<'_>, table: &Table) -> Result<Done, StoreError> {
        if self.is_fenced(transaction, table).map_err(|error| table.writing.failed(error))? {
            return Ok(Done::Fenced);
        }
        let mut writer = Writer::new(transaction, table).map_err(|error| table.writing.failed(error))?;
        let mut outcomes = Vec::with_capacity(self.rows.len());
        let mut refused = Vec::new();
        for row in &self.rows {
            match writer.write(row)? {
                Outcome::NotUnique(said) => refused.push((row, said)),
                outcome => outcomes.push((row.place, outcome)),
            }
        }
        // A unique value may have moved from one instance of this batch to another: try again what was refused, as long
        // as that gets further.
        let mut before = usize::MAX;
        while refused.len() < before {
            before = refused.len();
            for (row, said) in std::mem::take(&mut refused) {
                match writer.write(row)? {
                    Outcome::NotUnique(_) => refused.push((row, said)),
                    outcome => outcomes.push((row.place, outcome)),
                }
            }
        }
        outcomes.extend(refused.into_iter().map(|(row, said)| (row.place, Outcome::NotUnique(said))));

        let all_written = outcomes.iter().all(|(_, outcome)| matches!(outcome, Outcome::Written { .. }));
        let checkpoint = self.checkpoint.filter(|_| all_written);
        if let Some(checkpoint) = &checkpoint {
            checkpoints::store(transaction, checkpoint).map_err(|error| table.writing.failed(error))?;
        }
        Ok(Done::Written { rows: outcomes, checkpoint: checkpoint.is_some() })
    }

    fn is_fenced(&self, transaction: &Transaction<'_>, table: &Table) -> rusqlite::Result<bool> {
        if let Some(fence) = &self.fence
            && !leases::is_held(transaction, table.projection, fence)?
        {
            return Ok(true);
        }
        match &self.checkpoint {
            Some(checkpoint) => Ok(checkpoints::newer_epoch(transaction, checkpoint)?.is_some()),
            None => Ok(false),
        }
    }
}

impl<K: Key> Row<K> {
    fn encode<S: ViewState>(table: &Table, place: usize, change: &Change<'_, S, K>) -> Result<Self, StoreError> {
        let encode = |state| StateText::encode(change.id.as_key(), state, &table.unique);
        let offered = (!change.offered.is_empty()).then(|| serde_json::to_string(change.offered));
        Ok(Self {
            place,
            id: change.id.clone(),
            state: change.state.map(encode).transpose()?,
            position: change.position.as_i64(),
            offered: offered.transpose().map_err(StoreError::permanent)?,
            expected: change.expected,
        })
    }
}

/// Writes rows in a transaction.
struct Writer<'t> {
    table: &'t Table,
    insert: CachedStatement<'t>,
    replace: CachedStatement<'t>,
}

impl<'t> Writer<'t> {
    fn new(transaction: &'t Transaction<'_>, table: &'t Table) -> rusqlite::Result<Self> {
        let insert = transaction.prepare_cached(&table.statements.insert)?;
        let replace = transaction.prepare_cached(&table.statements.replace)?;
        Ok(Self { table, insert, replace })
    }

    /// Writes one row, if what is stored is what was expected. An error ends the transaction.
    fn write<K: Key>(&mut self, row: &Row<K>) -> Result<Outcome, StoreError> {
        let Row { position, offered, .. } = row;
        let (id, source) = (Id(row.id.as_key()), self.table.source.as_str());
        let state = row.state.as_ref().map(|state| &state.json);
        let is_value = row.state.as_ref().is_some_and(|state| state.is_value);
        let written = match row.expected {
            Expected::Absent => self.insert.execute(params![id, state, is_value, position, source, offered]),
            Expected::At(expected) => {
                let expected = expected.as_i64();
                self.replace.execute(params![id, state, is_value, position, source, offered, expected])
            }
        };
        match written {
            Ok(0) => Ok(Outcome::Lost),
            Ok(_) => Ok(Outcome::Written { bytes: state.map_or(0, String::len) }),
            Err(error) => match unique_violation(&error) {
                Some(said) => Ok(Outcome::NotUnique(said.to_owned())),
                None => Err(self.table.writing.failed(error)),
            },
        }
    }
}

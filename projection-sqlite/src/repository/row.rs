//! What is stored for one instance, and whether this repository's positions guard it.

use projection_core::{EventRef, KeyRef, Position, StoreError, projection::ViewState, store::Stored};
use rusqlite::{CachedStatement, types::ValueRef};

use super::{StateText, Table};
use crate::sql::Id;

/// What is stored cannot be guarded by this repository's positions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Unguarded {
    #[error(
        "instance {instance} has a position of `{found}`, and this view is now fed from `{expected}`: feed it from `{found}`, or raise the projection's version"
    )]
    OtherSource { instance: String, found: String, expected: String },
    #[error(
        "instance {instance} has no position: it was saved without a guard, so what it holds is not known; raise the projection's version"
    )]
    NoPosition { instance: String },
    #[error("instance {instance} has a `{column}` that we did not write")]
    Damaged { instance: String, column: &'static str },
}

/// Reads rows by id.
pub(super) struct Find<'c> {
    pub(super) statement: CachedStatement<'c>,
}

impl Find<'_> {
    /// The state of an instance, if it exists.
    pub(super) fn state<S: ViewState>(&mut self, table: &Table, id: KeyRef<'_>) -> Result<Option<S>, StoreError> {
        Ok(self.row(table, id, |row| row.state())?.flatten())
    }

    /// What is stored for an instance, with its position.
    pub(super) fn stored<S: ViewState>(
        &mut self,
        table: &Table,
        id: KeyRef<'_>,
    ) -> Result<Option<Stored<S>>, StoreError> {
        self.row(table, id, |row| {
            let (position, offered) = (row.position()?, row.offered()?);
            let bytes = row.json()?.map_or(0, <[u8]>::len);
            Ok(Stored { state: row.state()?, position, offered, bytes })
        })
    }

    fn row<T>(
        &mut self,
        table: &Table,
        id: KeyRef<'_>,
        read: impl FnOnce(Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let failed = |error| table.reading.failed(error);
        let mut rows = self.statement.query([Id(id)]).map_err(failed)?;
        let row = rows.next().map_err(failed)?;
        row.map(|row| read(Row { table, id, row })).transpose()
    }
}

/// The row of one instance.
pub(super) struct Row<'r> {
    table: &'r Table,
    id: KeyRef<'r>,
    row: &'r rusqlite::Row<'r>,
}

impl Row<'_> {
    fn column(&self, column: usize) -> Result<ValueRef<'_>, StoreError> {
        self.row.get_ref(column).map_err(|error| self.table.reading.failed(error))
    }

    fn damaged(&self, column: &'static str) -> StoreError {
        StoreError::permanent(Unguarded::Damaged { instance: self.id.to_string(), column })
    }

    fn json(&self) -> Result<Option<&[u8]>, StoreError> {
        match self.column(0)? {
            ValueRef::Null => Ok(None),
            ValueRef::Text(json) => Ok(Some(json)),
            _ => Err(self.damaged("state")),
        }
    }

    /// The state; `None` is a tombstone.
    fn state<S: ViewState>(&self) -> Result<Option<S>, StoreError> {
        let is_value = self.column(1)? != ValueRef::Integer(0);
        self.json()?.map(|json| StateText::decode(self.id, json, is_value)).transpose()
    }

    fn position(&self) -> Result<Position, StoreError> {
        let instance = || self.id.to_string();
        let (ValueRef::Integer(position), ValueRef::Text(source)) = (self.column(2)?, self.column(3)?) else {
            return Err(StoreError::permanent(Unguarded::NoPosition { instance: instance() }));
        };
        if source != self.table.source.as_str().as_bytes() {
            return Err(StoreError::permanent(Unguarded::OtherSource {
                instance: instance(),
                found: String::from_utf8_lossy(source).into_owned(),
                expected: self.table.source.to_string(),
            }));
        }
        Position::try_from(position).map_err(|_| self.damaged("position"))
    }

    fn offered(&self) -> Result<Vec<EventRef>, StoreError> {
        match self.column(4)? {
            ValueRef::Null => Ok(Vec::new()),
            ValueRef::Text(offered) => serde_json::from_slice(offered).map_err(|_| self.damaged("offered")),
            _ => Err(self.damaged("offered")),
        }
    }
}

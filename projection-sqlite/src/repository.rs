//! The repository of one view: rows of one table.

mod commit;
mod guarded;
mod plain;
mod row;
mod state;
mod statements;

use std::{fmt, marker::PhantomData, sync::Arc};

use projection_core::store::SourceName;

use self::{state::StateText, statements::Statements};
use crate::{database::Database, error::Doing};

/// The repository of one view, fed from one source.
pub(crate) struct SqliteRepository<S, Id> {
    database: Database,
    table: Arc<Table>,
    types: PhantomData<fn(S, Id)>,
}

/// What jobs on the connections need to know.
struct Table {
    /// The projection's name, under which its lease is.
    projection: &'static str,
    /// The table's name.
    name: String,
    source: SourceName,
    statements: Statements,
    /// Fields of unique indexes: no array may stand in them.
    unique: Vec<String>,
    reading: Doing,
    writing: Doing,
}

impl<S, Id> SqliteRepository<S, Id> {
    pub(crate) fn new(
        database: Database,
        projection: &'static str,
        table: &str,
        source: &SourceName,
        unique: Vec<String>,
    ) -> Self {
        let table = Table {
            projection,
            name: table.to_owned(),
            source: source.clone(),
            statements: Statements::new(table),
            unique,
            reading: Doing::new("reading", table),
            writing: Doing::new("writing to", table),
        };
        Self { database, table: Arc::new(table), types: PhantomData }
    }
}

impl<S, Id> fmt::Debug for SqliteRepository<S, Id> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Table { name, source, .. } = &*self.table;
        f.debug_struct("SqliteRepository").field("table", name).field("source", source).finish_non_exhaustive()
    }
}

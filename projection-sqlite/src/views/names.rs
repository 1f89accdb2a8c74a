//! The names of a view: its versioned table, and the SQL view over it that queries use.

use projection_core::{ErrorKind, StoreError};
use rusqlite::{Connection, OptionalExtension as _};

use crate::{error::Doing, sql::quoted};

/// The table of one version.
pub(super) fn versioned(projection: &str, version: u32) -> String {
    format!("{projection}.v{version}")
}

/// Refuses names that SQLite does not take, or that are taken by something else.
pub(super) fn check(connection: &Connection, view: &str, table: &str) -> Result<(), StoreError> {
    let doing = Doing::new("opening the view", view);
    let refused = |message: String| Err(doing.wrong(ErrorKind::Permanent, message));
    let is_reserved = view.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("sqlite_"));
    if view.is_empty() || view.contains('\0') || is_reserved {
        return refused("a name is not empty, has no NUL in it, and does not begin with `sqlite_`".to_owned());
    }
    for (name, wanted) in [(view, "view"), (table, "table")] {
        let Some((found, kind)) = find(connection, name).map_err(|error| doing.failed(error))? else {
            continue;
        };
        if found != name {
            return refused(format!(
                "there is a {kind} `{found}`, and SQLite takes upper and lower case for the same: rename one of them"
            ));
        }
        if kind != wanted {
            return refused(format!("there is a {kind} `{found}`, which is not ours: rename one of them"));
        }
    }
    Ok(())
}

/// Makes the view that queries use, where there is none. One that shows another version is left alone.
pub(super) fn ensure_view(connection: &Connection, view: &str, table: &str) -> Result<(), StoreError> {
    let doing = Doing::new("making the view", view);
    if find(connection, view).map_err(|error| doing.failed(error))?.is_some() {
        return Ok(());
    }
    let (view, table) = (quoted(view), quoted(table));
    let create = format!("CREATE VIEW {view} AS SELECT id, state, position FROM {table} WHERE state IS NOT NULL");
    connection.execute_batch(&create).map_err(|error| doing.failed(error))
}

/// What has this name, as SQLite compares names: how it is written, and what it is.
pub(super) fn find(connection: &Connection, name: &str) -> rusqlite::Result<Option<(String, String)>> {
    let select = "SELECT name, type FROM sqlite_master WHERE name = ?1 COLLATE NOCASE";
    connection.query_row(select, [name], |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

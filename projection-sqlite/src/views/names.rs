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

/// The version that the view shows; `None` where there is no view.
pub(super) fn shown(connection: &Connection, view: &str) -> Result<Option<u32>, StoreError> {
    let doing = Doing::new("looking which version is shown:", view);
    let select = "SELECT sql FROM sqlite_master WHERE name = ?1 AND type = 'view'";
    let sql = connection.query_row(select, [view], |row| row.get::<_, String>(0)).optional();
    let Some(sql) = sql.map_err(|error| doing.failed(error))? else { return Ok(None) };
    let before = quoted(&format!("{view}.v"));
    let shown = sql.split_once(before.trim_end_matches('"')).and_then(|(_, rest)| rest.split_once('"'));
    let wrong = || {
        let message = "the SQL view shows no version of it: drop this view, and it is made when a process starts";
        doing.wrong(ErrorKind::Permanent, message)
    };
    shown.and_then(|(version, _)| version.parse().ok()).map(Some).ok_or_else(wrong)
}

/// Lets the view show this table from now on.
pub(super) fn show(connection: &Connection, view: &str, table: &str) -> Result<(), StoreError> {
    let doing = Doing::new("re-pointing the view", view);
    let drop = format!("DROP VIEW IF EXISTS {}", quoted(view));
    connection.execute_batch(&drop).map_err(|error| doing.failed(error))?;
    ensure_view(connection, view, table)
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

//! The indexes that a projection declares: over expressions that read its fields from the JSON.
//!
//! A missing field counts as `null`, and a unique index takes one `null`, as in MongoDB. In SQLite no `NULL` equals
//! another, so a unique index has a second one beside it, for states with a `null` among their values.

use projection_core::{Direction, ErrorKind, Index, StoreError};
use rusqlite::{Connection, OptionalExtension as _};

use crate::{
    error::{Doing, unique_violation},
    sql::{literal, quoted},
};

/// The end of the name of an index for states with a `null` among their values.
const NULLS: &str = ".nulls";

/// Makes the indexes that are missing.
pub(super) fn ensure(connection: &Connection, table: &str, indexes: &[Index]) -> Result<(), StoreError> {
    let doing = Doing::new("making an index of", table);
    for index in indexes {
        let paths = paths(index, &doing)?;
        let full_name = format!("{table}.{}", name(index));
        let unique = if index.is_unique() { "UNIQUE " } else { "" };
        let on = quoted(table);
        let columns = join(paths.iter().map(|(path, order)| format!("json_extract(state, {path}){order}")), ", ");
        let create = format!("CREATE {unique}INDEX {} ON {on} ({columns})", quoted(&full_name));
        ensure_one(connection, &doing, &full_name, &create)?;
        if index.is_unique() {
            let full_name = format!("{full_name}{NULLS}");
            let values = join(paths.iter().map(|(path, _)| format!("ifnull(state -> {path}, 'null')")), ", ");
            let any = join(paths.iter().map(|(path, _)| format!("json_extract(state, {path}) IS NULL")), " OR ");
            let create = format!(
                "CREATE UNIQUE INDEX {} ON {on} ({values}) WHERE state IS NOT NULL AND ({any})",
                quoted(&full_name)
            );
            ensure_one(connection, &doing, &full_name, &create)?;
        }
    }
    Ok(())
}

fn ensure_one(connection: &Connection, doing: &Doing, name: &str, create: &str) -> Result<(), StoreError> {
    let select = "SELECT sql FROM sqlite_master WHERE name = ?1 COLLATE NOCASE";
    let found = connection.query_row(select, [name], |row| row.get(0)).optional();
    let found: Option<Option<String>> = found.map_err(|error| doing.failed(error))?;
    match found {
        Some(Some(found)) if found == create => Ok(()),
        Some(_) => {
            let message = format!(
                "an index `{name}` is there with other options: drop it, or change the projection's; \
                 DROP INDEX {}",
                quoted(name)
            );
            Err(doing.wrong(ErrorKind::Permanent, message))
        }
        None => connection.execute_batch(create).map_err(|error| match unique_violation(&error) {
            Some(_) => {
                let message =
                    format!("the unique index `{name}` cannot be made, since two instances have the same values");
                doing.wrong(ErrorKind::Unique, message)
            }
            None => doing.failed(error),
        }),
    }
}

/// The fields of the unique indexes, which no array may stand in.
pub(super) fn unique_paths(indexes: &[Index]) -> Vec<String> {
    let fields = indexes.iter().filter(|index| index.is_unique()).flat_map(Index::fields);
    let mut fields: Vec<String> = fields.map(|(field, _)| field.clone()).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

/// The name of the index, as the projection's other stores call it, that refused a row.
pub(crate) fn refused_by(message: &str, table: &str) -> String {
    let name = message.split_once("index '").map_or(message, |(_, name)| name.trim_end_matches('\''));
    let name = name.strip_prefix(table).and_then(|name| name.strip_prefix('.')).unwrap_or(name);
    name.strip_suffix(NULLS).unwrap_or(name).to_owned()
}

/// The paths, as SQL literals, and the words for their directions.
fn paths(index: &Index, doing: &Doing) -> Result<Vec<(String, &'static str)>, StoreError> {
    let path = |(field, direction): &(String, Direction)| {
        if field.contains(['"', '\\', '\0']) {
            let message =
                format!("{field:?} cannot be indexed: a field has no quote, backslash or NUL in its name");
            return Err(doing.wrong(ErrorKind::Permanent, message));
        }
        let order = if *direction == Direction::Descending { " DESC" } else { "" };
        Ok((literal(&json_path(field)), order))
    };
    index.fields().iter().map(path).collect()
}

/// `$.total.cents`: as one would write it in a query, since the index serves only an expression that is the same.
fn json_path(field: &str) -> String {
    let is_plain = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    let parts = field.split('.').map(|part| if is_plain(part) { part.to_owned() } else { format!("\"{part}\"") });
    format!("$.{}", join(parts, "."))
}

/// The name that MongoDB would give.
fn name(index: &Index) -> String {
    let sign = |direction| if direction == Direction::Descending { -1 } else { 1 };
    join(index.fields().iter().map(|(field, direction)| format!("{field}_{}", sign(*direction))), "_")
}

fn join(parts: impl Iterator<Item = String>, separator: &str) -> String {
    parts.collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_as_in_a_query() {
        assert_eq!(json_path("state"), "$.state");
        assert_eq!(json_path("total.cents"), "$.total.cents");
        assert_eq!(json_path("größe.a-b"), "$.größe.\"a-b\"");
    }

    #[test]
    fn the_index_that_refused_is_found_in_what_sqlite_says() {
        let said = "UNIQUE constraint failed: index 'account.v1.email_1'";
        assert_eq!(refused_by(said, "account.v1"), "email_1");
        let said = "UNIQUE constraint failed: index 'account.v1.email_1_city_-1.nulls'";
        assert_eq!(refused_by(said, "account.v1"), "email_1_city_-1");
    }
}

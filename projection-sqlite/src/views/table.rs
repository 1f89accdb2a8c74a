//! The table of one version of a view.
//!
//! | column | holds |
//! |---|---|
//! | `id` | the instance's key: text, an integer, bytes, or a UUID as text |
//! | `state` | the state as JSON; one that is no map stands under `value`; `NULL` where the instance was deleted |
//! | `position` | the position of the last event applied (spec: B11); `NULL` where it was saved without a guard |
//! | `source` | the order that the position belongs to |
//! | `offered` | events without a position that were applied, as JSON (spec: P20); `NULL` for none |
//! | `is_value` | whether the state is no map |

use projection_core::{ErrorKind, StoreError};
use rusqlite::Connection;

use super::names;
use crate::{error::Doing, sql::quoted};

/// Makes the table, and an index of its tombstones, where it is missing; refuses one with other columns.
pub(super) fn ensure(connection: &Connection, table: &str) -> Result<(), StoreError> {
    let doing = Doing::new("making the table", table);
    let name = quoted(table);
    if names::find(connection, table).map_err(|error| doing.failed(error))?.is_some() {
        let columns = format!("SELECT id, state, position, source, offered, is_value FROM {name}");
        return connection.prepare(&columns).map(drop).map_err(|error| {
            let message = format!("there is a table of that name, which is not ours ({error}): rename one of them");
            doing.wrong(ErrorKind::Permanent, message)
        });
    }
    let tombstones = quoted(&format!("{table}.tombstones"));
    let create = format!(
        "CREATE TABLE {name} (
            id ANY NOT NULL PRIMARY KEY,
            state TEXT,
            position INTEGER,
            source TEXT,
            offered TEXT,
            is_value INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX {tombstones} ON {name} (position) WHERE state IS NULL;"
    );
    connection.execute_batch(&create).map_err(|error| doing.failed(error))
}

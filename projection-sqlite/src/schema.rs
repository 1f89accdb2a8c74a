//! Our own tables: what they hold, and that they are there.

use projection_core::{ErrorKind, StoreError};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};

use crate::error::Doing;

/// Raised when the tables change.
const VERSION: i64 = 1;

/// `type` stands before `data`, so that a row which a filter passes over is not read to its end.
const TABLES: &str = r#"
CREATE TABLE "projection.schema" (version INTEGER NOT NULL) STRICT;

CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    stream TEXT NOT NULL,
    stream_version INTEGER NOT NULL,
    source TEXT NOT NULL,
    id TEXT NOT NULL,
    time TEXT NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (source, id),
    UNIQUE (stream, stream_version)
) STRICT;

CREATE TABLE "projection.checkpoints" (
    projection TEXT NOT NULL,
    version INTEGER NOT NULL,
    partition INTEGER NOT NULL,
    position INTEGER NOT NULL,
    start INTEGER NOT NULL,
    caught_up INTEGER NOT NULL,
    handled TEXT NOT NULL,
    owner TEXT,
    epoch INTEGER,
    fence_version INTEGER,
    PRIMARY KEY (projection, version, partition)
) STRICT, WITHOUT ROWID;

CREATE TABLE "projection.skipped" (
    projection TEXT NOT NULL,
    version INTEGER NOT NULL,
    partition INTEGER NOT NULL,
    position INTEGER NOT NULL,
    source TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    instance TEXT,
    cause TEXT NOT NULL
) STRICT;

CREATE INDEX "projection.skipped.event" ON "projection.skipped" (projection, position, version, partition);

CREATE TABLE "projection.parked" (
    projection TEXT NOT NULL,
    version INTEGER NOT NULL,
    partition INTEGER NOT NULL,
    instance TEXT NOT NULL,
    position INTEGER NOT NULL,
    source TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    cause TEXT NOT NULL,
    PRIMARY KEY (projection, version, partition, instance)
) STRICT, WITHOUT ROWID;

CREATE TABLE "projection.leases" (
    projection TEXT NOT NULL,
    version INTEGER NOT NULL,
    owner TEXT,
    epoch INTEGER NOT NULL,
    since INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    PRIMARY KEY (projection, version)
) STRICT, WITHOUT ROWID;
"#;

/// Makes the tables where they are missing; writes nothing where they are there.
pub(crate) fn ensure(connection: &mut Connection, doing: &Doing) -> Result<(), StoreError> {
    if version(connection).map_err(|error| doing.failed(error))?.is_none() {
        make(connection, doing)?;
    }
    match version(connection).map_err(|error| doing.failed(error))? {
        Some(VERSION) => Ok(()),
        found => {
            let found = found.map_or_else(|| "none".to_owned(), |found| found.to_string());
            let message = format!(
                "its tables have the version {found}, and this release knows {VERSION}: use the release that wrote them"
            );
            Err(doing.wrong(ErrorKind::Permanent, message))
        }
    }
}

fn make(connection: &mut Connection, doing: &Doing) -> Result<(), StoreError> {
    let failed = |error| doing.failed(error);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    if version(&transaction).map_err(failed)?.is_some() {
        // Another process was first.
        return Ok(());
    }
    let taken = "SELECT name FROM sqlite_master WHERE name = 'events' COLLATE NOCASE";
    let taken: Option<String> = transaction.query_row(taken, [], |row| row.get(0)).optional().map_err(failed)?;
    if let Some(taken) = taken {
        let message = format!("it has a table `{taken}` that is not ours: rename it, or name another file");
        return Err(doing.wrong(ErrorKind::Permanent, message));
    }
    transaction.execute_batch(TABLES).map_err(failed)?;
    transaction.execute(r#"INSERT INTO "projection.schema" VALUES (?1)"#, [VERSION]).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// The version of the tables; `None` where they are missing.
fn version(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    let there = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'projection.schema')";
    if connection.query_row(there, [], |row| row.get(0))? {
        connection.query_row(r#"SELECT max(version) FROM "projection.schema""#, [], |row| row.get(0))
    } else {
        Ok(None)
    }
}

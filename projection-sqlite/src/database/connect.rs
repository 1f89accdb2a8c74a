//! Opens connections, with the settings that the promises rest on.

use std::{
    path::Path,
    thread::sleep,
    time::{Duration, Instant},
};

use projection_core::{ErrorKind, StoreError};
use rusqlite::{Connection, OpenFlags, ffi};

use crate::{SqliteOptions, error::Doing};

/// Statements of several views, prepared once a connection.
const STATEMENTS: usize = 256;
/// For pages that are read or written often, in KiB; SQLite wants it negative then.
const CACHE: i64 = -16_384;
/// How long to wait before asking again for what SQLite itself does not wait for.
const AGAIN: Duration = Duration::from_millis(5);

/// The connection that writes.
pub(super) fn writer(path: &Path, options: &SqliteOptions, doing: &Doing) -> Result<Connection, StoreError> {
    let failed = |error| doing.failed(error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    configure(&connection, options).map_err(failed)?;
    let mode = write_ahead(&connection, options.busy_timeout()).map_err(failed)?;
    if mode != "wal" {
        let message =
            format!("this file system takes no write-ahead log (the journal mode is {mode}): name a local file");
        return Err(doing.wrong(ErrorKind::Permanent, message));
    }
    // A commit is on the disk when it returns. See `docs/guide/sqlite.md` for what that costs.
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    Ok(connection)
}

/// A connection that only reads.
pub(super) fn reader(path: &Path, options: &SqliteOptions) -> rusqlite::Result<Connection> {
    // To read a write-ahead log, its index must be writable. Not created: a file that is gone is an error.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    configure(&connection, options)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// The one connection to a database in memory.
pub(super) fn in_memory(options: &SqliteOptions, doing: &Doing) -> Result<Connection, StoreError> {
    let connection = Connection::open_in_memory().map_err(|error| doing.failed(error))?;
    configure(&connection, options).map_err(|error| doing.failed(error))?;
    Ok(connection)
}

fn configure(connection: &Connection, options: &SqliteOptions) -> rusqlite::Result<()> {
    connection.busy_timeout(options.busy_timeout())?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "cache_size", CACHE)
}

/// Turns the write-ahead log on. SQLite does not wait here when another process does the same at this moment.
fn write_ahead(connection: &Connection, patience: Duration) -> rusqlite::Result<String> {
    let started = Instant::now();
    loop {
        let mode = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0));
        match mode {
            Err(error) if is_busy(&error) && started.elapsed() < patience => sleep(AGAIN),
            mode => return mode,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code & 0xff == ffi::SQLITE_BUSY)
}

//! What an error of SQLite means: classified once, here, with what was being done.

use std::{error::Error as StdError, fmt, sync::Arc};

use projection_core::{ErrorKind, StoreError};
use rusqlite::{ErrorCode, ffi};

/// An operation on a table or a file, for the message of an error.
#[derive(Debug, Clone)]
pub(crate) struct Doing {
    what: &'static str,
    name: Arc<str>,
}

impl Doing {
    pub(crate) fn new(what: &'static str, name: &str) -> Self {
        Self { what, name: name.into() }
    }

    /// SQLite reported an error.
    pub(crate) fn failed(&self, error: rusqlite::Error) -> StoreError {
        StoreError::new(kind_of(&error), SqliteError { doing: self.clone(), cause: Cause::Sqlite(error) })
    }

    /// What was found is not what it has to be.
    pub(crate) fn wrong(&self, kind: ErrorKind, message: impl fmt::Display) -> StoreError {
        StoreError::new(kind, SqliteError { doing: self.clone(), cause: Cause::Wrong(message.to_string()) })
    }
}

/// An error of SQLite: what was being done, to which table or file, why it failed, and what helps.
///
/// The source of a [`StoreError`] made from it, where there is one, is a [`rusqlite::Error`].
#[derive(Debug)]
struct SqliteError {
    doing: Doing,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    Sqlite(rusqlite::Error),
    Wrong(String),
}

impl fmt::Display for SqliteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`: ", self.doing.what, self.doing.name)?;
        match &self.cause {
            Cause::Sqlite(error) => {
                error.fmt(f)?;
                help(error).map_or(Ok(()), |help| write!(f, ": {help}"))
            }
            Cause::Wrong(message) => f.write_str(message),
        }
    }
}

impl StdError for SqliteError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.cause {
            Cause::Sqlite(error) => Some(error),
            Cause::Wrong(_) => None,
        }
    }
}

fn kind_of(error: &rusqlite::Error) -> ErrorKind {
    if unique_violation(error).is_some() {
        return ErrorKind::Unique;
    }
    match error.sqlite_error_code() {
        Some(
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::SchemaChanged
            | ErrorCode::OperationInterrupted
            | ErrorCode::OutOfMemory
            // Somebody makes room, and it goes on.
            | ErrorCode::DiskFull,
        ) => ErrorKind::Transient,
        Some(ErrorCode::TooBig) => ErrorKind::Poison,
        _ => ErrorKind::Permanent,
    }
}

/// What to do about it.
fn help(error: &rusqlite::Error) -> Option<&'static str> {
    Some(match error.sqlite_error_code()? {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            "another connection has been writing for longer than the busy timeout; keep its transactions short, or \
             raise `SqliteOptions::with_busy_timeout`"
        }
        ErrorCode::DiskFull => "the disk is full; nothing of this transaction is stored; make room",
        ErrorCode::ReadOnly => {
            "the file, or its directory, cannot be written by this process; SQLite makes `-wal` and `-shm` files \
             beside it"
        }
        ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
            "does its directory exist, and may this process write in it?"
        }
        ErrorCode::NotADatabase => "the file is no SQLite database, or an encrypted one; name another file",
        ErrorCode::DatabaseCorrupt => {
            "the file is damaged; restore it, with its `-wal` file, from a backup, or save what \
             `sqlite3 FILE .recover` can read"
        }
        ErrorCode::SystemIoFailure => "the file system failed; see the system's log",
        ErrorCode::FileLockingProtocolFailed => "locks fail here; a file on a network file system does not work",
        _ => return None,
    })
}

/// What SQLite says of a unique index, or of a primary key, that refused a row.
pub(crate) fn unique_violation(error: &rusqlite::Error) -> Option<&str> {
    match error {
        rusqlite::Error::SqliteFailure(failure, message)
            if matches!(
                failure.extended_code,
                ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
            ) =>
        {
            Some(message.as_deref().unwrap_or_default())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: i32, message: &str) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some(message.to_owned()))
    }

    #[test]
    fn what_may_pass_is_transient_and_what_does_not_is_permanent() {
        for code in
            [ffi::SQLITE_BUSY, ffi::SQLITE_BUSY_SNAPSHOT, ffi::SQLITE_LOCKED, ffi::SQLITE_SCHEMA, ffi::SQLITE_FULL]
        {
            assert_eq!(kind_of(&failure(code, "")), ErrorKind::Transient, "{code}");
        }
        for code in [
            ffi::SQLITE_READONLY,
            ffi::SQLITE_CORRUPT,
            ffi::SQLITE_NOTADB,
            ffi::SQLITE_CANTOPEN,
            ffi::SQLITE_IOERR,
            ffi::SQLITE_CONSTRAINT_NOTNULL,
        ] {
            assert_eq!(kind_of(&failure(code, "")), ErrorKind::Permanent, "{code}");
        }
        assert_eq!(kind_of(&failure(ffi::SQLITE_TOOBIG, "")), ErrorKind::Poison);
        assert_eq!(kind_of(&failure(ffi::SQLITE_CONSTRAINT_UNIQUE, "")), ErrorKind::Unique);
    }

    #[test]
    fn an_error_says_what_was_being_done_and_what_helps() {
        let full = failure(ffi::SQLITE_FULL, "database or disk is full");
        let error = Doing::new("writing to", "orders.v1").failed(full);
        assert_eq!(
            error.to_string(),
            "writing to `orders.v1`: database or disk is full: the disk is full; nothing of this transaction is \
             stored; make room"
        );
    }
}

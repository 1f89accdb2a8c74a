//! A file that holds everything, and its parts.

use std::path::Path;

use projection_core::StoreError;

use crate::{
    SqliteCheckpoints, SqliteEvents, SqliteLeases, SqliteOptions, SqliteViews, database::Database, events::Appends,
};

/// A file with events, views, checkpoints and leases. Cheap to clone; closed with the last clone, and the last of what
/// was made from it.
///
/// Several processes may open one file, on a local disk. One writes at a time; the others wait for
/// [`SqliteOptions::with_busy_timeout`]. Readers are not held up.
///
/// What was acknowledged survives the end of the process and of the machine: each transaction is synced to the disk.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    database: Database,
    options: SqliteOptions,
    appends: Appends,
}

impl SqliteStore {
    /// Opens the file at `path`, which is made where there is none, in a directory that exists.
    ///
    /// # Errors
    ///
    /// When the file cannot be made, read or written, is no SQLite database, has tables of another release, or a table
    /// `events` that is not ours.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, SqliteOptions::new()).await
    }

    /// Opens the file at `path`, with options.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub async fn open_with(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, StoreError> {
        let database = Database::open(path.as_ref(), options.clone()).await?;
        Ok(Self { database, options, appends: Appends::default() })
    }

    /// A new store in memory, for tests: gone with the last clone. It has one connection, so that a read waits while
    /// something is written.
    ///
    /// # Errors
    ///
    /// When there is no memory.
    pub async fn open_in_memory() -> Result<Self, StoreError> {
        let options = SqliteOptions::new();
        let database = Database::open_in_memory(options.clone()).await?;
        Ok(Self { database, options, appends: Appends::default() })
    }

    /// The events.
    #[must_use]
    pub fn events(&self) -> SqliteEvents {
        SqliteEvents::new(self.database.clone(), self.options.source_name().clone(), self.appends.clone())
    }

    /// The views, with their checkpoints and leases.
    #[must_use]
    pub fn views(&self) -> SqliteViews {
        SqliteViews::new(self.database.clone())
    }

    /// The checkpoints, also for views that live elsewhere.
    #[must_use]
    pub fn checkpoints(&self) -> SqliteCheckpoints {
        SqliteCheckpoints::new(self.database.clone())
    }

    /// The leases.
    #[must_use]
    pub fn leases(&self) -> SqliteLeases {
        SqliteLeases::new(self.database.clone())
    }
}

#[cfg(test)]
mod tests;

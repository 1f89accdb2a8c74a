//! The history and its views in one SQLite file that is the example's own.

mod held;
mod import;
mod stored;

use std::path::{Path, PathBuf};

use projection_core::{StoreError, append::AppendError};
use projection_sqlite::{
    SqliteEvents, SqliteStore, SqliteViews,
    rusqlite::{self, Connection, TransactionBehavior},
};
use tokio::task::spawn_blocking;

pub use held::HeldHistory;
pub use import::Imported;

use crate::views;

/// A file that holds one history of flights, its views, and nothing else.
#[derive(Debug, Clone)]
pub struct FlightsFile {
    path: PathBuf,
    store: SqliteStore,
}

/// Why a file does not serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The store cannot be opened, read or written.
    #[error("SQLite: the file cannot be used")]
    Store(#[from] StoreError),
    /// The file cannot be read or written.
    #[error("SQLite: {doing} failed")]
    Sqlite {
        /// What was being done.
        doing: &'static str,
        /// SQLite's error.
        source: rusqlite::Error,
    },
    /// The events cannot be appended.
    #[error("SQLite: the events cannot be kept")]
    Events(#[from] AppendError),
    /// A file cannot be removed, or its folder not be made.
    #[error("{} cannot be made or removed", .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Something else is there.
    #[error("{} holds something else: name another file with --sqlite", .path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// A history is there, but not this one.
    #[error(
        "{} holds another history, of {} events: empty it with --reset, or name another file with --sqlite",
        .path.display(), .held.events
    )]
    OtherHistory {
        /// The file.
        path: PathBuf,
        /// What it holds.
        held: HeldHistory,
    },
    /// No history is there, or only a part of one.
    #[error("{} holds no whole history: run without --replay-only first", .path.display())]
    NoHistory {
        /// The file.
        path: PathBuf,
    },
}

impl FileError {
    fn sqlite(doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Self {
        move |source| Self::Sqlite { doing, source }
    }

    fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}

impl FlightsFile {
    /// Opens a file, which is made where there is none, in a folder that is made where there is none.
    ///
    /// # Errors
    ///
    /// When the file cannot be made or used, or holds something else.
    pub async fn open(path: &Path) -> Result<Self, FileError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(FileError::file(folder))?;
        }
        let file = Self { path: path.to_owned(), store: SqliteStore::open(path).await? };
        let made = file.in_one_transaction("looking for a history", held::ensure).await?;
        if made { Ok(file) } else { Err(FileError::NotOurs { path: path.to_owned() }) }
    }

    /// Removes the file, if it is the example's, and makes a new one. Nobody else may have it open.
    ///
    /// # Errors
    ///
    /// When it is not, or cannot be removed or made.
    pub async fn reset(self) -> Result<Self, FileError> {
        let Self { path, store } = self;
        drop(store);
        for end in ["", "-wal", "-shm"] {
            let mut name = path.clone().into_os_string();
            name.push(end);
            let file = PathBuf::from(name);
            match std::fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(FileError::file(&file)(error));
                }
                _ => {}
            }
        }
        Self::open(&path).await
    }

    /// Drops views and checkpoints, and leaves the events: the next replay begins at the first one.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub async fn drop_views(&self) -> Result<(), FileError> {
        let drop_all = |transaction: &Connection| {
            for (view, version) in views::ALL {
                transaction.execute_batch(&format!(
                    r#"DROP VIEW IF EXISTS "{view}"; DROP TABLE IF EXISTS "{view}.v{version}";"#
                ))?;
            }
            transaction.execute_batch(
                r#"DELETE FROM "projection.checkpoints"; DELETE FROM "projection.skipped";
                   DELETE FROM "projection.parked";"#,
            )
        };
        self.in_one_transaction("dropping the views", drop_all).await
    }

    /// The events, to be replayed.
    #[must_use]
    pub fn events(&self) -> SqliteEvents {
        self.store.events()
    }

    /// Where the views are kept.
    #[must_use]
    pub fn views(&self) -> SqliteViews {
        self.store.views()
    }

    /// A connection as any program has one.
    fn connect(path: &Path) -> rusqlite::Result<Connection> {
        let connection = Connection::open(path)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        Ok(connection)
    }

    async fn in_one_transaction<T: Send + 'static>(
        &self,
        doing: &'static str,
        job: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, FileError> {
        let path = self.path.clone();
        let on_a_thread = move || {
            let mut connection = Self::connect(&path)?;
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = job(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        blocking(move || on_a_thread().map_err(FileError::sqlite(doing))).await
    }
}

/// Runs what blocks on a thread that may be blocked.
async fn blocking<T: Send + 'static>(
    job: impl FnOnce() -> Result<T, FileError> + Send + 'static,
) -> Result<T, FileError> {
    spawn_blocking(job).await.unwrap_or_else(|error| Err(StoreError::permanent(error).into()))
}

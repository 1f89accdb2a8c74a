//! The connections to one file: one that writes, a few that read, and the jobs that run on them.
//!
//! SQLite's calls block, so a job runs on a thread for blocking work, from the beginning of its transaction to its end.
//! Whoever waits for it may stop waiting: the job still commits or rolls back, and the connection is free afterwards.

mod connect;
mod readers;

use std::{path::Path, sync::Arc};

use projection_core::StoreError;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::{
    sync::Mutex,
    task::{JoinError, spawn_blocking},
};

use self::readers::Readers;
use crate::{SqliteOptions, error::Doing, schema};

/// A database. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    writer: Arc<Mutex<Connection>>,
    /// None for a database in memory, which only one connection sees.
    readers: Option<Arc<Readers>>,
}

impl Database {
    /// Opens a file, and makes it and our tables where they are missing.
    pub(crate) async fn open(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let doing = Doing::new("opening", &path.display().to_string());
        // Readers open it later, perhaps from another working directory.
        let path = std::path::absolute(path).map_err(StoreError::permanent)?;
        blocking(move || {
            let mut writer = connect::writer(&path, &options, &doing)?;
            schema::ensure(&mut writer, &doing)?;
            let readers = Readers::new(path, options);
            Ok(Self { writer: Arc::new(Mutex::new(writer)), readers: Some(Arc::new(readers)) })
        })
        .await
    }

    /// A new database in memory.
    pub(crate) async fn open_in_memory(options: SqliteOptions) -> Result<Self, StoreError> {
        blocking(move || {
            let doing = Doing::new("opening", ":memory:");
            let mut writer = connect::in_memory(&options, &doing)?;
            schema::ensure(&mut writer, &doing)?;
            Ok(Self { writer: Arc::new(Mutex::new(writer)), readers: None })
        })
        .await
    }

    pub(crate) fn is_in_memory(&self) -> bool {
        self.readers.is_none()
    }

    /// Runs `job` in a transaction that holds the write lock from its beginning, and commits what it did if it is `Ok`.
    pub(crate) async fn write<T, E>(
        &self,
        doing: &Doing,
        job: impl FnOnce(&mut Transaction<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let mut connection = Arc::clone(&self.writer).lock_owned().await;
        let doing = doing.clone();
        blocking(move || {
            let mut transaction = connection
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .map_err(|error| doing.failed(error))?;
            let done = job(&mut transaction)?;
            transaction.commit().map_err(|error| doing.failed(error))?;
            Ok(done)
        })
        .await
    }

    /// Runs `job` on one state of the database; a writer does not hold it up, nor it a writer.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        doing: &Doing,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let doing = doing.clone();
        let on = move |connection: &mut Connection| {
            let transaction = connection.transaction().map_err(|error| doing.failed(error))?;
            job(&transaction)
        };
        if let Some(readers) = &self.readers {
            let reader = readers.reader().await;
            blocking(move || reader.run(on)).await
        } else {
            let mut connection = Arc::clone(&self.writer).lock_owned().await;
            blocking(move || on(&mut connection)).await
        }
    }
}

/// Runs what blocks on a thread that may be blocked. A panic in it goes on in the caller.
async fn blocking<T, E>(job: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    spawn_blocking(job).await.unwrap_or_else(|error: JoinError| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Err(StoreError::transient("the async runtime is shutting down").into()),
    })
}

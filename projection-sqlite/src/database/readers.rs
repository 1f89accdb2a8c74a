//! The connections that read: a few, opened when they are needed and kept.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use projection_core::StoreError;
use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connect;
use crate::{SqliteOptions, error::Doing};

/// How many reads run side by side. Each may hold a thread for blocking work, and a cache of pages.
const READERS: usize = 4;

/// Connections that read one file.
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    options: SqliteOptions,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

/// The right to use one connection.
pub(super) struct Reader {
    readers: Arc<Readers>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, options: SqliteOptions) -> Self {
        Self { path, options, idle: Mutex::default(), permits: Arc::new(Semaphore::new(READERS)) }
    }

    /// Waits until a connection is free.
    pub(super) async fn reader(self: &Arc<Self>) -> Reader {
        // It is never closed, so there always is a permit.
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        Reader { readers: Arc::clone(self), _permit: permit }
    }
}

impl Reader {
    /// Runs `job` on the connection. After a panic it is closed, not used again.
    pub(super) fn run<T>(
        self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let Readers { path, options, idle, .. } = &*self.readers;
        let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match kept {
            Some(connection) => connection,
            None => connect::reader(path, options)
                .map_err(|error| Doing::new("opening", &path.display().to_string()).failed(error))?,
        };
        let done = job(&mut connection);
        idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        done
    }
}

//! The history in a SQLite file, and views read back from another by plain SQL.

use std::path::{Path, PathBuf};

use anyhow::Result;
use flights::{history::FlightHistory, sqlite::FlightsFile, stored::StoredViews};
use projection_core::{Key, KeyRef, Projection, StoreError};
use projection_sqlite::rusqlite::{Connection, OpenFlags};
use tokio_util::sync::CancellationToken;

/// Appends all events.
pub(super) async fn import(path: &Path, history: &FlightHistory) -> Result<()> {
    FlightsFile::open(path).await?.import(history, 0, &CancellationToken::new(), |_| ()).await?;
    Ok(())
}

/// Removes a file, and what stands beside it while it is open.
pub(super) fn remove(path: &Path) {
    for ending in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        // Some are gone already, or never were there.
        let _ = std::fs::remove_file(name);
    }
}

/// A file with views.
pub(super) struct SqliteFile(pub(super) PathBuf);

impl StoredViews for SqliteFile {
    async fn each<P: Projection>(&self, mut visit: impl FnMut(P::Id, P::State) + Send) -> Result<u64, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let connection = Connection::open_with_flags(&self.0, flags).map_err(StoreError::permanent)?;
        let select = format!("SELECT id, state FROM \"{}\"", P::NAME);
        let mut select = connection.prepare(&select).map_err(StoreError::permanent)?;
        let mut rows = select.query([]).map_err(StoreError::permanent)?;
        let mut instances = 0;
        while let Some(row) = rows.next().map_err(StoreError::permanent)? {
            let id: String = row.get(0).map_err(StoreError::permanent)?;
            let state: String = row.get(1).map_err(StoreError::permanent)?;
            let id = P::Id::from_key(KeyRef::Text(&id)).map_err(StoreError::permanent)?;
            visit(id, serde_json::from_str(&state).map_err(StoreError::permanent)?);
            instances += 1;
        }
        Ok(instances)
    }
}

//! Where events and views are kept.

use std::path::{Path, PathBuf};

use projection_core::StoreError;
use projection_sqlite::SqliteStore;

/// Why there is no store.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("the folder {} cannot be made", .folder.display())]
    Folder { folder: PathBuf, source: std::io::Error },
    #[error("the SQLite file cannot be opened")]
    Sqlite(#[from] StoreError),
}

/// The file that was named, or else one in the project's folder `data`; made where there is none.
pub(crate) async fn sqlite(file: Option<PathBuf>) -> Result<SqliteStore, OpenError> {
    let file = file.unwrap_or_else(default_file);
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|source| OpenError::Folder { folder: folder.to_owned(), source })?;
    }
    tracing::info!(file = %file.display(), "events and views are kept in SQLite");
    Ok(SqliteStore::open(&file).await?)
}

fn default_file() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).join("data").join("orders.db")
}

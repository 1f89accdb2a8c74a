//! Where events and views are kept.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use mongodb::{Client, error::Error as DriverError, options::ClientOptions};
use projection_core::{
    StoreError,
    append::{AppendError, AppendEvents as _},
};
use projection_mongo::{MongoEvents, MongoEventsOptions, MongoViews};
use projection_sqlite::SqliteStore;

/// Why there is no store.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("the folder {} cannot be made", .folder.display())]
    Folder { folder: PathBuf, source: std::io::Error },
    #[error("the SQLite file cannot be opened")]
    Sqlite(#[source] StoreError),
    #[error("{uri:?} is no MongoDB URI; one is mongodb://127.0.0.1:27017")]
    Uri { uri: String, source: DriverError },
    #[error("MongoDB cannot be connected to")]
    Client(#[source] DriverError),
    #[error("the events in MongoDB cannot be opened")]
    Mongo(#[source] StoreError),
    #[error("no events can be appended to this MongoDB")]
    Append(#[source] AppendError),
}

/// The file that was named, or else one in the project's folder `data`; made where there is none.
pub(crate) async fn sqlite(file: Option<&Path>) -> Result<SqliteStore, OpenError> {
    let file = file.map_or_else(default_file, Path::to_owned);
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|source| OpenError::Folder { folder: folder.to_owned(), source })?;
    }
    tracing::info!(file = %file.display(), "events and views are kept in SQLite");
    SqliteStore::open(&file).await.map_err(OpenError::Sqlite)
}

fn default_file() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).join("data").join("orders.db")
}

/// The events and views of a database.
pub(crate) async fn mongo(uri: &str, database: &str) -> Result<(MongoEvents, MongoViews), OpenError> {
    let options = ClientOptions::parse(uri).await;
    let mut options = options.map_err(|source| OpenError::Uri { uri: uri.to_owned(), source })?;
    options.server_selection_timeout.get_or_insert(Duration::from_secs(5));
    options.app_name.get_or_insert_with(|| "orders".to_owned());
    let database = Client::with_options(options).map_err(OpenError::Client)?.database(database);
    let events =
        MongoEvents::open(&database, "events", MongoEventsOptions::new()).await.map_err(OpenError::Mongo)?;
    // Where nothing can be appended, as on a standalone server, it is said at the start.
    events.append_all(Vec::new()).await.map_err(OpenError::Append)?;
    tracing::info!(database = database.name(), "events and views are kept in MongoDB");
    Ok((events, MongoViews::new(database)))
}

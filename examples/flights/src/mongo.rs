//! The history and its views in a MongoDB database that is the example's own.

mod held;
mod import;
mod stored;

use std::time::Duration;

use mongodb::{
    Client, Database,
    bson::{RawDocumentBuf, doc},
    error::Error as DriverError,
    options::ClientOptions,
};
use projection_core::StoreError;
use projection_mongo::{MongoEvents, MongoEventsOptions, MongoViews};

pub use held::HeldHistory;

/// The collection of the events.
const EVENTS: &str = "events";
/// The collection that says which history is there.
const HISTORY: &str = "history";

/// A database that holds one history of flights, its views, and nothing else.
#[derive(Debug, Clone)]
pub struct FlightsDatabase {
    database: Database,
}

/// Why a database does not serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The URI is no MongoDB's.
    #[error("{uri:?} is no MongoDB URI; one is mongodb://127.0.0.1:27017")]
    Uri {
        /// The URI.
        uri: String,
        /// Why.
        source: DriverError,
    },
    /// The server did not do it.
    #[error("MongoDB: {doing} failed")]
    Driver {
        /// What was being done.
        doing: &'static str,
        /// The driver's error.
        source: DriverError,
    },
    /// The events cannot be opened or written.
    #[error("MongoDB: the events cannot be kept")]
    Events(#[from] StoreError),
    /// Something else is there.
    #[error(
        "the database `{database}` holds something else ({}): name an empty one with --database",
        .collections.join(", ")
    )]
    NotOurs {
        /// The database.
        database: String,
        /// What it holds.
        collections: Vec<String>,
    },
    /// A history is there, but not this one.
    #[error(
        "the database `{database}` holds another history, of {} events: drop it with --reset, or name another database \
         with --database",
        .held.events
    )]
    OtherHistory {
        /// The database.
        database: String,
        /// What it holds.
        held: HeldHistory,
    },
    /// No history is there, or only a part of one.
    #[error("the database `{database}` holds no whole history: run without --replay-only first")]
    NoHistory {
        /// The database.
        database: String,
    },
}

impl DatabaseError {
    fn driver(doing: &'static str) -> impl FnOnce(DriverError) -> Self {
        move |source| Self::Driver { doing, source }
    }
}

impl FlightsDatabase {
    /// Opens the database `name` of a server, and asks whether the server is there.
    ///
    /// # Errors
    ///
    /// When the URI is none, or no server answers within five seconds (or as long as the URI says).
    pub async fn connect(uri: &str, name: &str) -> Result<Self, DatabaseError> {
        let options = ClientOptions::parse(uri).await;
        let mut options = options.map_err(|source| DatabaseError::Uri { uri: uri.to_owned(), source })?;
        options.server_selection_timeout.get_or_insert(Duration::from_secs(5));
        options.app_name.get_or_insert_with(|| "flights".to_owned());
        let client = Client::with_options(options).map_err(DatabaseError::driver("connecting"))?;
        let database = client.database(name);
        database.run_command(doc! { "ping": 1 }).await.map_err(DatabaseError::driver("connecting"))?;
        Ok(Self::new(database))
    }

    /// A database that is connected already. No I/O.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// The events, to be replayed.
    ///
    /// # Errors
    ///
    /// When the collection cannot be read, or its indexes cannot be made.
    pub async fn events(&self) -> Result<MongoEvents, DatabaseError> {
        Ok(MongoEvents::open(&self.database, EVENTS, MongoEventsOptions::new()).await?)
    }

    /// Where the views are kept.
    #[must_use]
    pub fn views(&self) -> MongoViews {
        MongoViews::new(self.database.clone())
    }

    /// Drops views and checkpoints, and leaves the events: the next replay begins at the first one.
    ///
    /// # Errors
    ///
    /// When the database is not the example's, or the server does not do it.
    pub async fn drop_views(&self) -> Result<(), DatabaseError> {
        self.held().await?;
        for name in self.collections().await? {
            if name != EVENTS && name != HISTORY {
                let collection = self.database.collection::<RawDocumentBuf>(&name);
                collection.drop().await.map_err(DatabaseError::driver("dropping a view"))?;
            }
        }
        Ok(())
    }

    /// Drops the whole database, if it is the example's.
    ///
    /// # Errors
    ///
    /// When it is not, or the server does not do it.
    pub async fn reset(&self) -> Result<(), DatabaseError> {
        self.held().await?;
        self.database.drop().await.map_err(DatabaseError::driver("dropping the database"))
    }

    /// Closes the connections, without waiting for what is still under way.
    pub async fn disconnect(self) {
        self.database.client().clone().shutdown().immediate(true).await;
    }

    async fn collections(&self) -> Result<Vec<String>, DatabaseError> {
        let names = self.database.list_collection_names().await;
        let names = names.map_err(DatabaseError::driver("listing the collections"))?;
        // Where views were, the server leaves its list of them. Any other `system.` collection is not ours either.
        Ok(names.into_iter().filter(|name| name != "system.views").collect())
    }
}

//! The MongoDB server that tests run on, and a database of its own for each.

mod failpoint;
mod monitor;

use std::{env, fs, path::PathBuf, sync::Arc, time::Duration};

use mongodb::{Client, Database, event::EventHandler, options::ClientOptions};
use tokio::sync::OnceCell;

pub use failpoint::FailPoint;
pub use monitor::{Commands, Ran};

/// A database that one test has for itself.
#[derive(Debug, Clone)]
pub struct TestDatabase {
    /// The database, by a client of its own.
    pub database: Database,
    /// What that client has sent.
    pub commands: Commands,
    uri: Arc<str>,
    plain: Arc<OnceCell<Database>>,
}

impl TestDatabase {
    async fn new() -> Self {
        let uri: Arc<str> = uri().into();
        let name = format!("test-{}", uuid::Uuid::new_v4().simple());
        let commands = Commands::default();
        let database = connect(&uri, &name, &name, commands.clone()).await;
        Self { database, commands, uri, plain: Arc::default() }
    }

    /// The server's address, for a program that connects by itself.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The same database by another client, for looking at it with the plain driver: what it sends is not counted, and does
    /// not fail on purpose.
    pub async fn plain(&self) -> Database {
        let name = self.database.name();
        let connect = || connect(&self.uri, name, "plain", Commands::default());
        self.plain.get_or_init(connect).await.clone()
    }

    /// Makes commands of this test's client fail. Only one test at a time has a fail point.
    pub async fn fail(&self, commands: &[&str], times: u32, how: bson::Document) -> FailPoint {
        let mode = bson::doc! { "times": times };
        FailPoint::set(self.plain().await, self.database.name(), commands, mode, how).await
    }

    /// The same, once so many commands have succeeded; until the fail point is taken away.
    pub async fn fail_after(&self, commands: &[&str], skip: u32, how: bson::Document) -> FailPoint {
        let mode = bson::doc! { "skip": skip };
        FailPoint::set(self.plain().await, self.database.name(), commands, mode, how).await
    }
}

/// Runs a test in a database of its own, which is dropped afterwards, also when the test fails.
///
/// # Panics
///
/// When there is no server, and when the test does.
pub async fn with_database<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(TestDatabase) -> F) {
    let database = TestDatabase::new().await;
    let result = tokio::spawn(test(database.clone())).await;
    database.database.drop().await.expect("the test's database is dropped");
    if let Err(error) = result {
        std::panic::resume_unwind(error.into_panic());
    }
}

async fn connect(uri: &str, name: &str, app: &str, commands: Commands) -> Database {
    let mut options = ClientOptions::parse(uri).await.expect("MONGODB_URI can be parsed");
    options.app_name = Some(app.to_owned());
    // After a fault, the server is looked for again soon.
    options.heartbeat_freq = Some(Duration::from_millis(500));
    options.command_event_handler = Some(EventHandler::callback(move |event| commands.record(event)));
    Client::with_options(options).expect("a client is made").database(name)
}

/// The server's address: `MONGODB_URI`, or what `cargo xtask services up` wrote.
///
/// # Panics
///
/// When there is neither.
pub fn uri() -> String {
    if let Some(uri) = env::var("MONGODB_URI").ok().filter(|uri| !uri.is_empty()) {
        return uri;
    }
    let target = env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
    let services = fs::read_to_string(target.join("xtask/services.json")).ok();
    let services: Option<serde_json::Value> = services.and_then(|text| serde_json::from_str(&text).ok());
    let uri = services.as_ref().and_then(|services| services.get("mongodb_uri")?.as_str());
    uri.expect("this test needs a MongoDB server; start one with: cargo xtask services up").to_owned()
}

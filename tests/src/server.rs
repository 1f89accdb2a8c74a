//! The MongoDB servers that tests run on, and a database of its own for each test.

mod failpoint;
mod fake;
mod kind;
mod monitor;
mod own;
mod record;

use std::{sync::Arc, time::Duration};

use mongodb::{Client, Database, event::EventHandler, options::ClientOptions};
use tokio::sync::OnceCell;

pub use failpoint::FailPoint;
pub use fake::FakeServer;
pub use kind::{Kind, with_database_on};
pub use monitor::{Commands, Ran};
pub use own::{OwnReplicaSet, OwnServer, OwnUsers};
pub use record::uri;

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
    /// A database on the server at `uri`.
    pub async fn at(uri: &str) -> Self {
        Self::named(uri, format!("test-{}", uuid::Uuid::new_v4().simple())).await
    }

    /// The same database, at another address: as another user, or by way of another member.
    pub async fn by(&self, uri: &str) -> Self {
        Self::named(uri, self.database.name().to_owned()).await
    }

    async fn named(uri: &str, name: String) -> Self {
        let uri: Arc<str> = uri.into();
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
    run_in(TestDatabase::at(&uri()).await, test).await;
}

async fn run_in<F: Future<Output = ()> + Send + 'static>(
    database: TestDatabase,
    test: impl FnOnce(TestDatabase) -> F,
) {
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

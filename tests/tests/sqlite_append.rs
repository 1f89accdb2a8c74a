//! The conformance suite of appending, on SQLite.

use std::{path::PathBuf, sync::Arc, time::Duration};

use acceptance::{append_suites, conformance::append::Appending};
use projection_core::append::{ExpectedVersion, NewEvent};
use projection_sqlite::{SqliteEvents, SqliteStore, rusqlite::Connection};
use tempfile::TempDir;

#[derive(Clone)]
struct InFile {
    events: SqliteEvents,
    file: PathBuf,
    _directory: Arc<TempDir>,
}

#[async_trait::async_trait]
impl Appending for InFile {
    type Store = SqliteEvents;

    fn events(&self) -> &SqliteEvents {
        &self.events
    }

    async fn append_in_vain(&self, stream: &str, new: Vec<NewEvent>) {
        let (events, file, stream) = (self.events.clone(), self.file.clone(), stream.to_owned());
        let in_vain = move || {
            let mut connection = Connection::open(file).unwrap();
            connection.busy_timeout(Duration::from_secs(20)).unwrap();
            let mut transaction =
                connection.transaction_with_behavior(projection_sqlite::rusqlite::TransactionBehavior::Immediate);
            let transaction = transaction.as_mut().unwrap();
            events.append_in(transaction, stream, ExpectedVersion::Any, new).unwrap();
        };
        tokio::task::spawn_blocking(in_vain).await.unwrap();
    }
}

async fn events<F: Future<Output = ()>>(test: impl FnOnce(InFile) -> F) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("test.db");
    let events = SqliteStore::open(&file).await.unwrap().events();
    test(InFile { events, file, _directory: Arc::new(directory) }).await;
}

append_suites!(events);

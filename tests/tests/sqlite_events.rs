//! The conformance suite of event stores, on SQLite.

use std::sync::Mutex;

use acceptance::{
    conformance::events::{Data, Sample, WithEvents},
    event_suites,
};
use projection_core::append::{AppendEvents as _, ExpectedVersion, NewEvent};
use projection_sqlite::{SqliteEvents, SqliteStore};
use tempfile::TempDir;

/// Files that are removed after the test.
#[derive(Default)]
struct InFiles(Mutex<Vec<TempDir>>);

#[async_trait::async_trait]
impl WithEvents for InFiles {
    type Store = SqliteEvents;

    async fn holding(&self, samples: &[Sample]) -> SqliteEvents {
        let directory = tempfile::tempdir().unwrap();
        let events = SqliteStore::open(directory.path().join("test.db")).await.unwrap().events();
        self.0.lock().unwrap().push(directory);
        for (place, sample) in samples.iter().enumerate() {
            let data = serde_json::to_vec(&Data { n: sample.n }).unwrap();
            let event = NewEvent::from_json(sample.name, data)
                .with_id(Sample::id(place + 1))
                .with_source(Sample::SOURCE)
                .with_time(Sample::time());
            events.append(sample.stream, ExpectedVersion::Any, [event]).await.unwrap();
        }
        events
    }
}

async fn events<F: Future<Output = ()>>(test: impl FnOnce(InFiles) -> F) {
    test(InFiles::default()).await;
}

event_suites!(events);

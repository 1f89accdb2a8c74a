//! The conformance suite of event stores, on MongoDB: with the default fields, with a mapped collection, and without a
//! replica set.

use std::collections::HashMap;

use acceptance::{
    conformance::events::{Data, Sample, WithEvents},
    event_suites,
    server::{Kind, with_database_on},
};
use mongodb::Database;
use projection_core::Position;
use projection_mongo::{EventFields, ImportedEvent, MongoEvents, MongoEventsOptions};

struct OnMongo {
    database: Database,
    options: MongoEventsOptions,
}

#[async_trait::async_trait]
impl WithEvents for OnMongo {
    type Store = MongoEvents;

    async fn holding(&self, samples: &[Sample]) -> MongoEvents {
        let collection = format!("events-{}", uuid::Uuid::new_v4().simple());
        let store = MongoEvents::open(&self.database, &collection, self.options.clone()).await.unwrap();
        let mut versions: HashMap<&str, u64> = HashMap::new();
        let mut events = Vec::new();
        for (place, sample) in samples.iter().enumerate() {
            let position = Position::try_from(place as u64 + 1).unwrap();
            let version = versions.entry(sample.stream).or_default();
            *version += 1;
            let event = ImportedEvent::named(sample.name, position, sample.stream, &Data { n: sample.n }).unwrap();
            events.push(
                event
                    .with_id(Sample::id(place + 1))
                    .with_source(Sample::SOURCE)
                    .with_stream_version(*version)
                    .with_time(Sample::time()),
            );
        }
        store.import(events).await.unwrap();
        store
    }
}

mod with_the_default_fields {
    use super::*;

    async fn events<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(OnMongo) -> F) {
        let options = MongoEventsOptions::new();
        with_database_on(Kind::ReplicaSet, |database| test(OnMongo { database: database.database, options })).await;
    }

    event_suites!(events);
}

mod with_mapped_fields {
    use super::*;

    async fn events<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(OnMongo) -> F) {
        let fields = EventFields::new()
            .with_position("seq")
            .with_id("_id")
            .with_source("origin")
            .with_name("kind")
            .with_stream("aggregate")
            .with_stream_version("version")
            .with_time("at")
            .with_whole_document_as_data();
        let options = MongoEventsOptions::new().with_fields(fields);
        with_database_on(Kind::ReplicaSet, |database| test(OnMongo { database: database.database, options })).await;
    }

    event_suites!(events);
}

mod on_a_standalone_server {
    use super::*;

    async fn events<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(OnMongo) -> F) {
        let options = MongoEventsOptions::new();
        with_database_on(Kind::Standalone, |database| test(OnMongo { database: database.database, options })).await;
    }

    event_suites!(events);
}

//! The conformance suite of appending, on MongoDB: with the default fields, and with a mapped collection.

use acceptance::{append_suites, appending::OnMongo, server::with_database};
use projection_mongo::{EventFields, MongoEvents, MongoEventsOptions};

async fn run<F: Future<Output = ()> + Send + 'static>(
    options: MongoEventsOptions,
    test: impl FnOnce(OnMongo) -> F + Send + 'static,
) {
    with_database(|database| async move {
        let events = MongoEvents::open(&database.database, "events", options).await.unwrap();
        test(OnMongo::new(events, &database)).await;
    })
    .await;
}

mod with_the_default_fields {
    use super::*;

    async fn events<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(OnMongo) -> F + Send + 'static) {
        run(MongoEventsOptions::new(), test).await;
    }

    append_suites!(events);
}

mod with_mapped_fields {
    use super::*;

    async fn events<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(OnMongo) -> F + Send + 'static) {
        let fields = EventFields::new()
            .with_position("seq")
            .with_id("event")
            .with_source("origin")
            .with_name("kind")
            .with_stream("aggregate")
            .with_stream_version("version")
            .with_time("at")
            .with_data("payload");
        run(MongoEventsOptions::new().with_fields(fields).appending(), test).await;
    }

    append_suites!(events);
}

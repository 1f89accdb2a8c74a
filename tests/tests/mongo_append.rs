//! The conformance suite of appending, on MongoDB: with the default fields, and with a mapped collection.

use acceptance::{append_suites, conformance::append::Appending, server::with_database};
use projection_core::append::{ExpectedVersion, NewEvent};
use projection_mongo::{EventFields, MongoEvents, MongoEventsOptions};

#[derive(Clone)]
struct OnMongo {
    events: MongoEvents,
    client: mongodb::Client,
}

#[async_trait::async_trait]
impl Appending for OnMongo {
    type Store = MongoEvents;

    fn events(&self) -> &MongoEvents {
        &self.events
    }

    async fn append_in_vain(&self, stream: &str, new: Vec<NewEvent>) {
        let mut session = self.client.start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        // Another may be in the way.
        let _ = self.events.append_in(&mut session, stream, ExpectedVersion::Any, new).await;
        session.abort_transaction().await.unwrap();
    }
}

async fn run<F: Future<Output = ()> + Send + 'static>(
    options: MongoEventsOptions,
    test: impl FnOnce(OnMongo) -> F + Send + 'static,
) {
    with_database(|database| async move {
        let events = MongoEvents::open(&database.database, "events", options).await.unwrap();
        test(OnMongo { events, client: database.database.client().clone() }).await;
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

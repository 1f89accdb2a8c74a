//! MongoDB as the store of the conformance suite of appending.

use async_trait::async_trait;
use mongodb::Client;
use projection_core::append::{ExpectedVersion, NewEvent};
use projection_mongo::MongoEvents;

use crate::{conformance::append::Appending, server::TestDatabase};

/// A store on MongoDB, and a client whose transactions are undone.
#[derive(Debug, Clone)]
pub struct OnMongo {
    events: MongoEvents,
    client: Client,
}

impl OnMongo {
    /// This store, which is on that database.
    #[must_use]
    pub fn new(events: MongoEvents, database: &TestDatabase) -> Self {
        Self { events, client: database.database.client().clone() }
    }
}

#[async_trait]
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

//! The ways that are compared.

use std::sync::Arc;

use mongodb::Database;
use projection_core::append::{AppendEvents as _, ExpectedVersion, NewEvent};
use projection_mongo::{MongoEvents, MongoEventsOptions};

use crate::{
    Result,
    by_hand::{ByHand, Positions},
};

/// A way to append.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    /// A transaction that inserts. Where its events stand, the writers know without asking.
    Plain,
    /// The counter is incremented inside the transaction.
    Counter,
    /// The same, one after another: as good as it gets, and in one process only.
    QueuedCounter,
    /// Reservations; they and the counter are confirmed by a majority before the transaction begins.
    Confirmed,
    /// What the store does.
    Ours,
}

impl Way {
    pub(crate) const ALL: [Self; 5] =
        [Self::Plain, Self::Counter, Self::QueuedCounter, Self::Confirmed, Self::Ours];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain transactional insert",
            Self::Counter => "counter in the transaction",
            Self::QueuedCounter => "the same, queued in one process",
            Self::Confirmed => "reservations, confirmed first",
            Self::Ours => "reservations (the store)",
        }
    }

    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Counter => "counter",
            Self::QueuedCounter => "queued_counter",
            Self::Confirmed => "confirmed",
            Self::Ours => "store",
        }
    }

    /// The appender of each writer.
    pub(crate) async fn appenders(self, database: &Database, writers: usize) -> Result<Vec<Appender>> {
        // Also makes the indexes, which all ways need.
        let store = MongoEvents::open(database, "events", MongoEventsOptions::new()).await?;
        let positions = match self {
            Self::Plain => Positions::known(),
            Self::Counter => Positions::InTransaction { queue: None },
            Self::QueuedCounter => Positions::InTransaction { queue: Some(Arc::default()) },
            Self::Confirmed => Positions::Reserved,
            Self::Ours => {
                return Ok((0..writers)
                    .map(|me| Appender::Ours { store: Box::new(store.clone()), stream: stream(me) })
                    .collect());
            }
        };
        let mut appenders = Vec::new();
        for me in 0..writers {
            let by_hand = ByHand::new(database, positions.clone(), stream(me)).await?;
            appenders.push(Appender::ByHand(Box::new(by_hand)));
        }
        Ok(appenders)
    }
}

fn stream(me: usize) -> String {
    format!("stream-{me}")
}

/// One writer, with a stream of its own.
pub(crate) enum Appender {
    Ours { store: Box<MongoEvents>, stream: String },
    ByHand(Box<ByHand>),
}

impl Appender {
    pub(crate) async fn append(&mut self, events: usize) -> Result<()> {
        match self {
            Self::Ours { store, stream } => {
                let data = r#"{"order_id":"o-123456","lines":[{"sku":"bolt","pieces":100}],"total_cents":4200}"#;
                let events = (0..events).map(|_| NewEvent::from_json("OrderPlaced", data));
                store.append(stream.as_str(), ExpectedVersion::Any, events).await?;
            }
            Self::ByHand(by_hand) => by_hand.append(events).await?,
        }
        Ok(())
    }
}

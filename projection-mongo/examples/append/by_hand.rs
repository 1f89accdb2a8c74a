//! Appending with the plain driver, with positions in one way or another.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use bson::{Document, doc, oid::ObjectId};
use mongodb::{
    ClientSession, Collection, Database,
    options::{ReturnDocument, WriteConcern},
};
use tokio::sync::Mutex;

use crate::Result;

/// Where positions come from.
#[derive(Clone)]
pub(crate) enum Positions {
    /// Known without asking.
    Known(Arc<AtomicI64>),
    /// From a counter, inside the transaction.
    InTransaction { queue: Option<Arc<Mutex<()>>> },
    /// From a counter, under a reservation.
    Reserved,
}

impl Positions {
    pub(crate) fn known() -> Self {
        Self::Known(Arc::new(AtomicI64::new(0)))
    }
}

/// One writer.
pub(crate) struct ByHand {
    session: ClientSession,
    events: Collection<Document>,
    counter: Collection<Document>,
    positions: Positions,
    stream: String,
    version: i64,
}

impl ByHand {
    pub(crate) async fn new(database: &Database, positions: Positions, stream: String) -> Result<Self> {
        let counter = database.collection("counter");
        let make = doc! { "$setOnInsert": { "last": 0_i64 } };
        counter.update_one(doc! { "_id": 0 }, make).upsert(true).await?;
        let session = database.client().start_session().await?;
        Ok(Self { session, events: database.collection("events"), counter, positions, stream, version: 0 })
    }

    /// Appends, and tries again until nobody is in the way.
    pub(crate) async fn append(&mut self, count: usize) -> Result<()> {
        let count = i64::try_from(count)?;
        let queue = match &self.positions {
            Positions::InTransaction { queue: Some(queue) } => Some(Arc::clone(queue)),
            _ => None,
        };
        let _first = match &queue {
            Some(queue) => Some(queue.lock().await),
            None => None,
        };
        let mut pause = 1.0;
        loop {
            let Err(error) = self.try_once(count).await else { break };
            if !error.contains_label("TransientTransactionError") {
                return Err(error.into());
            }
            _ = self.session.abort_transaction().await;
            let random = f64::from(u32::try_from(uuid::Uuid::new_v4().as_u128() >> 96)?) / f64::from(u32::MAX);
            tokio::time::sleep(Duration::from_secs_f64(pause * (0.5 + random / 2.0) / 1000.0)).await;
            pause = f64::min(pause * 2.0, 50.0);
        }
        self.version += count;
        Ok(())
    }

    async fn try_once(&mut self, count: i64) -> mongodb::error::Result<()> {
        let reserved = match self.positions {
            Positions::Reserved => Some(self.reserve(count).await?),
            _ => None,
        };
        self.session.start_transaction().write_concern(WriteConcern::majority()).await?;
        let last = match (&self.positions, reserved) {
            (Positions::Known(next), _) => next.fetch_add(count, Ordering::SeqCst) + count,
            (_, Some((reservation, last))) => {
                self.head().await?;
                self.counter.delete_one(doc! { "_id": reservation }).session(&mut self.session).await?;
                last
            }
            _ => {
                self.head().await?;
                let more = doc! { "$inc": { "last": count } };
                let taken = self.counter.find_one_and_update(doc! { "_id": 0 }, more);
                last_of(taken.return_document(ReturnDocument::After).session(&mut self.session).await?)
            }
        };
        let events = (1..=count).map(|n| self.event(self.version + n, last - count + n));
        let events: Vec<_> = events.collect();
        self.events.insert_many(events).session(&mut self.session).await?;
        self.session.commit_transaction().await
    }

    /// Where the stream stands: a store cannot know.
    async fn head(&mut self) -> mongodb::error::Result<()> {
        let of = doc! { "streamid": &self.stream, "streamversion": { "$gt": 0 } };
        self.events.find_one(of).sort(doc! { "streamversion": -1 }).session(&mut self.session).await?;
        Ok(())
    }

    /// A reservation, then positions, each durable with a majority.
    async fn reserve(&self, count: i64) -> mongodb::error::Result<(ObjectId, i64)> {
        let majority = WriteConcern::majority;
        let low = last_of(self.counter.find_one(doc! { "_id": 0 }).await?);
        let id = ObjectId::new();
        let reservation = doc! { "_id": id, "low": low, "owner": "bench", "since": bson::DateTime::now() };
        self.counter.insert_one(reservation).write_concern(majority()).await?;
        let taken = self.counter.find_one_and_update(doc! { "_id": 0 }, doc! { "$inc": { "last": count } });
        let taken = taken.return_document(ReturnDocument::After).write_concern(majority());
        Ok((id, last_of(taken.await?)))
    }

    fn event(&self, version: i64, position: i64) -> Document {
        doc! {
            "id": uuid::Uuid::new_v4().to_string(), "source": "events", "type": "OrderPlaced", "specversion": "1.0",
            "datacontenttype": "application/json", "time": bson::DateTime::now(), "streamid": &self.stream,
            "streamversion": version, "position": position,
            "data": { "order_id": "o-123456", "lines": [{ "sku": "bolt", "pieces": 100_i64 }], "total_cents": 4200_i64 },
        }
    }
}

fn last_of(counter: Option<Document>) -> i64 {
    counter.and_then(|counter| counter.get_i64("last").ok()).unwrap_or_default()
}

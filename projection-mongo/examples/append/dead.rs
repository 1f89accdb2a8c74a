//! What others see when an appender dies in the middle of its transaction.

use std::time::Instant;

use bson::{Document, doc};
use mongodb::Database;
use projection_core::{
    EventStore as _,
    append::{AppendEvents as _, ExpectedVersion, NewEvent},
};
use projection_mongo::{MongoEvents, MongoEventsOptions};
use serde_json::{Value, json};

use crate::{
    Result,
    by_hand::{ByHand, Positions},
    report::round,
};

/// How long things took, in seconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dead {
    pub(crate) counter: f64,
    pub(crate) append: f64,
    pub(crate) mark: f64,
}

impl Dead {
    pub(crate) fn json(self) -> Value {
        json!({
            "counter_append_seconds": round(self.counter), "store_append_seconds": round(self.append),
            "store_mark_seconds": round(self.mark),
        })
    }
}

pub(crate) async fn measure(database: &Database) -> Result<Dead> {
    database.drop().await?;
    let store = MongoEvents::open(database, "events", MongoEventsOptions::new()).await?;
    let event = || NewEvent::from_json("X", "{}");

    // A session that is never heard of again: its transaction stays open on the server.
    let mut dead = database.client().start_session().await?;
    dead.start_transaction().await?;
    store.append_in(&mut dead, "a", ExpectedVersion::Any, [event()]).await?;
    let since = Instant::now();
    let appended = store.append("b", ExpectedVersion::Any, [event()]).await?;
    let append = since.elapsed().as_secs_f64();
    while store.mark().await? < appended.position() {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let mark = since.elapsed().as_secs_f64();

    let mut next = ByHand::new(database, Positions::InTransaction { queue: None }, "c".to_owned()).await?;
    let mut dead = database.client().start_session().await?;
    dead.start_transaction().await?;
    let counter = database.collection::<Document>("counter");
    counter.update_one(doc! { "_id": 0 }, doc! { "$inc": { "last": 100_i64 } }).session(&mut dead).await?;
    let since = Instant::now();
    next.append(1).await?;
    Ok(Dead { counter: since.elapsed().as_secs_f64(), append, mark })
}

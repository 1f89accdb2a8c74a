//! A change stream that only wakes: it is told when the mark may have moved, and what was appended is read by position.

use std::time::Duration;

use async_trait::async_trait;
use bson::{Document, doc};
use futures::{FutureExt as _, StreamExt as _};
use mongodb::change_stream::ChangeStream;
use projection_core::{ErrorKind, StoreError, store::WakeUp};

use super::MongoEvents;
use crate::error::{Doing, code_of};

/// The code for change streams on a standalone server.
const ONLY_ON_REPLICA_SETS: i32 = 40_573;

/// How long the server keeps a question open when nothing happens.
const WAIT: Duration = Duration::from_secs(5);

struct Listening {
    changes: ChangeStream<Document>,
    doing: Doing,
}

/// Listens for what moves the mark. Where events are appended that is the end of each reservation, one small change an
/// append; otherwise each event.
pub(super) async fn listen(store: &MongoEvents) -> Result<Option<Box<dyn WakeUp>>, StoreError> {
    let of = store.positions.as_ref().map_or(&store.target, |positions| positions.target());
    let doing = Doing::new("listening to", &of.collection);
    let moves = match &store.positions {
        None => doc! { "operationType": "insert" },
        Some(_) => doc! { "$or": [
            { "operationType": "delete" },
            { "operationType": "insert", "documentKey._id.settled": { "$exists": true } },
            { "updateDescription.updatedFields.raised": { "$exists": true } },
        ] },
    };
    let pipeline = [doc! { "$match": moves }, doc! { "$project": { "_id": 1 } }];
    let collection = of.database.collection::<Document>(&of.collection);
    let changes = collection.watch().pipeline(pipeline).max_await_time(WAIT).await;
    match changes {
        Ok(changes) => Ok(Some(Box::new(Listening { changes: changes.with_type(), doing }))),
        Err(error) if code_of(&error) == Some(ONLY_ON_REPLICA_SETS) => Ok(None),
        Err(error) => Err(doing.failed(error)),
    }
}

#[async_trait]
impl WakeUp for Listening {
    async fn woken(&mut self) -> Result<(), StoreError> {
        let mut change = self.changes.next().await;
        loop {
            match change {
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(self.doing.failed(error)),
                None => return Err(self.doing.wrong(ErrorKind::Transient, "the change stream has ended")),
            }
            // Those that have arrived already are of the same waking.
            change = match self.changes.next().now_or_never() {
                Some(change) => change,
                None => return Ok(()),
            };
        }
    }
}

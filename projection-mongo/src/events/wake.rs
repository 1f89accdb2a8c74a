//! A change stream that wakes: it is told when the mark may have moved, and what was appended is read by position.
//!
//! Where others write, it also tells of events that came after their position was closed.

mod arrivals;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use bson::{Document, doc};
use futures::{FutureExt as _, StreamExt as _};
use mongodb::change_stream::ChangeStream;
use projection_core::{ErrorKind, Position, StoreError, store::WakeUp};

use self::arrivals::Arrivals;
use super::MongoEvents;
use crate::error::{Doing, code_of};

/// The code for change streams on a standalone server.
const ONLY_ON_REPLICA_SETS: i32 = 40_573;

/// How long the server keeps a question open when nothing happens.
const WAIT: Duration = Duration::from_secs(5);

struct Listening {
    changes: ChangeStream<Document>,
    doing: Doing,
    /// Where others write, in any order.
    arrivals: Option<Arrivals>,
}

/// Listens for what moves the mark. Where events are appended that is the end of each reservation, one small change an
/// append; otherwise each event.
pub(super) async fn listen(store: &MongoEvents) -> Result<Option<Box<dyn WakeUp>>, StoreError> {
    let of = store.positions.as_ref().map_or(&store.target, |positions| positions.target());
    let doing = Doing::new("listening to", &of.collection);
    let arrivals = store.others.as_ref().map(|others| Arrivals::new(store, Arc::clone(others)));
    let pipeline = match (&store.positions, &arrivals) {
        (Some(_), _) => told(doc! { "$or": [
            { "operationType": "delete" },
            { "operationType": "insert", "documentKey._id.settled": { "$exists": true } },
            { "updateDescription.updatedFields.raised": { "$exists": true } },
        ] }),
        (None, None) => told(doc! { "operationType": "insert" }),
        (None, Some(arrivals)) => arrivals.pipeline(),
    };
    let collection = of.database.collection::<Document>(&of.collection);
    let mut watch = collection.watch().pipeline(pipeline).max_await_time(WAIT);
    if let Some(arrivals) = &arrivals {
        watch = arrivals.go_on(watch);
    }
    match watch.await {
        Ok(changes) => Ok(Some(Box::new(Listening { changes: changes.with_type(), doing, arrivals }))),
        Err(error) if code_of(&error) == Some(ONLY_ON_REPLICA_SETS) => {
            if arrivals.is_some() {
                tracing::warn!("a standalone server does not tell of events that come late: they are passed over");
            }
            Ok(None)
        }
        Err(error) => {
            if let Some(arrivals) = &arrivals {
                arrivals.broke(&error);
            }
            Err(doing.failed(error))
        }
    }
}

/// That something happened is enough.
fn told(moves: Document) -> Vec<Document> {
    vec![doc! { "$match": moves }, doc! { "$project": { "_id": 1 } }]
}

#[async_trait]
impl WakeUp for Listening {
    async fn woken(&mut self) -> Result<(), StoreError> {
        let again = self.arrivals.as_ref().and_then(Arrivals::ask_again);
        let mut change = match again {
            None => self.changes.next().await,
            Some(again) => match tokio::time::timeout(again, self.changes.next()).await {
                Ok(change) => change,
                // No change moves the mark now, but time may.
                Err(_) => return Ok(()),
            },
        };
        loop {
            match change {
                Some(Ok(change)) => {
                    if let Some(arrivals) = &self.arrivals {
                        arrivals.hear(&change, self.changes.resume_token());
                    }
                }
                Some(Err(error)) => {
                    if let Some(arrivals) = &self.arrivals {
                        arrivals.broke(&error);
                    }
                    return Err(self.doing.failed(error));
                }
                None => return Err(self.doing.wrong(ErrorKind::Transient, "the change stream has ended")),
            }
            // Those that have arrived already are of the same waking.
            change = match self.changes.next().now_or_never() {
                Some(change) => change,
                None => return Ok(()),
            };
        }
    }

    fn late(&mut self) -> Vec<Position> {
        self.arrivals.as_ref().map(Arrivals::take_late).unwrap_or_default()
    }
}

//! The history in MongoDB: made once for each shape, and kept.

use anyhow::{Context, Result};
use bson::{Document, doc};
use mongodb::{Collection, Database};
use projection_core::{Position, StoreError};
use projection_mongo::{ImportedEvent, MongoEvents, MongoEventsOptions};
use serde::{Deserialize, Serialize};

use super::{EVENTS, Server};
use crate::{
    account::Deposited,
    dataset::Dataset,
    generate::{Happened, Shape, Totals},
};

/// An event for each account, before all others: what a filled view was made from.
pub(super) const OPENING: &str = "opening";

/// Says that the history is there whole.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    #[serde(rename = "_id")]
    id: String,
    dataset: Dataset,
}

/// The database of a history.
pub(super) fn name(shape: &Shape) -> String {
    format!("bench_replay_{}", shape.name())
}

/// Makes the history if it is not there whole.
pub(crate) async fn prepare(uri: &str, shape: &Shape) -> Result<Dataset> {
    let server = Server::connect(uri, false).await?;
    let database = server.database(&name(shape));
    let totals = Totals::of(shape.final_states().values());
    // Written last: it is there only if the whole history is.
    let notes: Collection<Note> = database.collection("dataset");
    if let Some(note) = notes.find_one(doc! { "_id": "dataset" }).await? {
        if note.dataset.totals == totals {
            return Ok(note.dataset);
        }
        eprintln!("the history in the database was made by another release of this benchmark");
    }
    eprintln!("making {} events over {} instances, once …", shape.events, shape.instances);
    database.drop().await?;
    let opening = (0..shape.instances).zip(1_u64..).map(|(account, position)| {
        let event = Deposited { account: account.cast_signed(), cents: 0, memo: String::new() };
        imported(position, &Happened::Deposited(event))
    });
    import(&database, OPENING, opening).await?;
    import(
        &database,
        EVENTS,
        shape.history().zip(shape.instances + 1..).map(|(happened, at)| imported(at, &happened)),
    )
    .await?;
    let dataset = Dataset {
        totals,
        event_bytes: mean_bytes(&database).await?,
        first: shape.instances.cast_signed(),
        last: (shape.instances + shape.events).cast_signed(),
    };
    notes.insert_one(Note { id: "dataset".into(), dataset }).await?;
    Ok(dataset)
}

async fn import(
    database: &Database,
    collection: &str,
    events: impl Iterator<Item = Result<ImportedEvent, StoreError>> + Send,
) -> Result<()> {
    let store = MongoEvents::open(database, collection, MongoEventsOptions::new()).await?;
    let mut failed = None;
    store.import(events.map_while(|event| event.map_err(|error| failed = Some(error)).ok())).await?;
    failed.map_or(Ok(()), |error| Err(error.into()))
}

fn imported(position: u64, happened: &Happened) -> Result<ImportedEvent, StoreError> {
    let at = Position::try_from(position).map_err(StoreError::permanent)?;
    let stream = |account: i64| format!("account-{account}");
    let event = match happened {
        Happened::Deposited(event) => ImportedEvent::new(at, stream(event.account), event),
        Happened::Withdrawn(event) => ImportedEvent::new(at, stream(event.account), event),
        Happened::Noted(event) => ImportedEvent::new(at, stream(event.account), event),
    };
    Ok(event?.with_id(format!("e-{position}")).with_source("bench"))
}

async fn mean_bytes(database: &Database) -> Result<f64> {
    let stats = database.run_command(doc! { "collStats": EVENTS }).await?;
    let (size, count) = (number(&stats, "size"), number(&stats, "count"));
    size.zip(count).map(|(size, count)| size / count).context("the server does not say how large the events are")
}

fn number(document: &Document, field: &str) -> Option<f64> {
    let value = document.get(field)?;
    let whole = value.as_i64().or_else(|| value.as_i32().map(i64::from)).map(|whole| whole as f64);
    whole.or_else(|| value.as_f64())
}

//! What cannot be undercut: reading the events, and writing each state once.

use anyhow::Result;
use bson::{RawDocument, RawDocumentBuf, doc};
use futures::TryStreamExt;
use mongodb::{
    Database,
    options::{CollectionOptions, ReadConcern, WriteConcern},
};

use super::{BY_HAND, EVENTS};
use crate::{
    generate::Shape,
    measure::Ran,
    plain::{StoredAccount, StoredEvent},
};

/// How many events are asked for at once; more or fewer are slower.
const BATCH: u32 = 10_000;

/// Reads every event, in order, as it comes off the network.
pub(super) async fn scan(history: &Database) -> Result<Ran> {
    each(history, |_| Ok(())).await
}

/// Reads every event, in order, and decodes it.
pub(super) async fn decode(history: &Database) -> Result<Ran> {
    each(history, |event| {
        let event: StoredEvent = bson::deserialize_from_slice(event.as_bytes())?;
        std::hint::black_box(event);
        Ok(())
    })
    .await
}

async fn each(history: &Database, mut look: impl FnMut(&RawDocument) -> Result<()>) -> Result<Ran> {
    // What is read must be as durable as what ours reads.
    let options = CollectionOptions::builder().read_concern(ReadConcern::majority()).build();
    let events = history.collection_with_options::<RawDocumentBuf>(EVENTS, options);
    let mut batches = events.find(doc! {}).sort(doc! { "position": 1 }).batch_size(BATCH).batch().await?;
    let mut count = 0;
    while let Some(batch) = batches.try_next().await? {
        for event in batch.doc_slices()? {
            if let Some(event) = event?.as_document() {
                look(event)?;
                count += 1;
            }
        }
    }
    Ok(Ran::of(count))
}

/// The final states, encoded, by account.
pub(super) fn documents(shape: &Shape) -> Result<Vec<RawDocumentBuf>> {
    let states = shape.final_states().into_iter();
    let documents = states.map(|(id, state)| bson::serialize_to_raw_document_buf(&StoredAccount { id, state }));
    Ok(documents.collect::<Result<_, _>>()?)
}

/// Inserts them into an empty collection.
pub(super) async fn insert(
    target: &Database,
    documents: Vec<RawDocumentBuf>,
    concern: WriteConcern,
) -> Result<Ran> {
    let options = CollectionOptions::builder().write_concern(concern).build();
    let accounts = target.collection_with_options::<RawDocumentBuf>(BY_HAND, options);
    for some in documents.chunks(BATCH as usize) {
        accounts.insert_many(some).ordered(false).await?;
    }
    Ok(Ran::of(documents.len() as u64))
}

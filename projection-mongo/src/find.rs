//! Finds documents by `_id`, many in one read, in raw batches (spec: P30).

use std::collections::HashMap;

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};
use futures::StreamExt as _;
use mongodb::{
    ClientSession, Collection, Database,
    action::Find,
    options::{CollectionOptions, ReadPreference, SelectionCriteria},
    raw_batch_cursor::RawBatch,
};
use projection_core::{ErrorKind, KeyRef, StoreError};

use crate::{error::Doing, id};

/// How many ids one read asks for at most, and how many bytes of them: a command has 16 MiB.
const MAX_IDS: usize = 100_000;
const MAX_BYTES: usize = 8_000_000;

/// A collection that is read from the primary, whatever the client's settings are: a position that lags behind would
/// not do harm, but lose each race.
pub(crate) fn primary(database: &Database, name: &str) -> Collection<RawDocumentBuf> {
    let primary = SelectionCriteria::ReadPreference(ReadPreference::Primary);
    database.collection_with_options(name, CollectionOptions::builder().selection_criteria(primary).build())
}

/// Calls `each` with every document whose `_id` is in `ids`, and the places it has there. No I/O for no ids.
pub(crate) async fn by_id<'k>(
    collection: &Collection<RawDocumentBuf>,
    doing: &Doing,
    ids: impl IntoIterator<Item = KeyRef<'k>>,
    projection: Option<&Document>,
    mut each: impl FnMut(&[usize], &RawDocument) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let places = Places::of(ids);
    for part in parts(places.0.keys().copied()) {
        let find = query(collection, part, projection);
        let mut batches = find.batch().await.map_err(|error| doing.failed(error))?;
        while let Some(batch) = batches.next().await {
            places.deliver(doing, &batch.map_err(|error| doing.failed(error))?, &mut each)?;
        }
    }
    Ok(())
}

/// The same inside a transaction.
pub(crate) async fn by_id_in<'k>(
    session: &mut ClientSession,
    collection: &Collection<RawDocumentBuf>,
    doing: &Doing,
    ids: impl IntoIterator<Item = KeyRef<'k>>,
    projection: Option<&Document>,
    mut each: impl FnMut(&[usize], &RawDocument) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let places = Places::of(ids);
    for part in parts(places.0.keys().copied()) {
        let find = query(collection, part, projection).session(&mut *session);
        let mut found = find.batch().await.map_err(|error| doing.failed(error))?;
        let mut batches = found.stream(session);
        while let Some(batch) = batches.next().await {
            places.deliver(doing, &batch.map_err(|error| doing.failed(error))?, &mut each)?;
        }
    }
    Ok(())
}

fn query<'c>(
    collection: &'c Collection<RawDocumentBuf>,
    part: Vec<Bson>,
    projection: Option<&Document>,
) -> Find<'c, RawDocumentBuf> {
    // One more than can be found, so that the first batch says that it is the last.
    let most = u32::try_from(part.len() + 1).unwrap_or(u32::MAX);
    let find = collection.find(doc! { "_id": { "$in": part } }).batch_size(most);
    match projection {
        Some(projection) => find.projection(projection.clone()),
        None => find,
    }
}

/// Where each id stands among those that were asked for.
struct Places<'k>(HashMap<KeyRef<'k>, Vec<usize>>);

impl<'k> Places<'k> {
    fn of(ids: impl IntoIterator<Item = KeyRef<'k>>) -> Self {
        let mut places: HashMap<KeyRef<'k>, Vec<usize>> = HashMap::new();
        for (place, id) in ids.into_iter().enumerate() {
            places.entry(id).or_default().push(place);
        }
        Self(places)
    }

    fn deliver(
        &self,
        doing: &Doing,
        batch: &RawBatch,
        each: &mut impl FnMut(&[usize], &RawDocument) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        for document in batch.doc_slices().map_err(|error| doing.failed(error))? {
            let document = document.map_err(|error| doing.failed(error.into()))?;
            let document = document.as_document().ok_or_else(|| {
                doing.wrong(ErrorKind::Permanent, "the reply holds something else than documents")
            })?;
            let id = document.get("_id").ok().flatten().and_then(id::from_bson);
            if let Some(places) = id.and_then(|id| self.0.get(&id)) {
                each(places, document)?;
            }
        }
        Ok(())
    }
}

/// Splits ids so that each part fits a command (spec: B30).
fn parts<'k>(ids: impl Iterator<Item = KeyRef<'k>>) -> Vec<Vec<Bson>> {
    let mut parts: Vec<Vec<Bson>> = Vec::new();
    let mut bytes = 0;
    for id in ids {
        let size = id::size(id);
        match parts.last_mut() {
            Some(part) if part.len() < MAX_IDS && bytes + size <= MAX_BYTES => {
                bytes += size;
                part.push(id::to_bson(id));
            }
            _ => {
                bytes = size;
                parts.push(vec![id::to_bson(id)]);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: B30
    #[test]
    fn ids_are_split_by_count_and_by_bytes() {
        let sizes = |ids: &[String]| -> Vec<usize> {
            parts(ids.iter().map(|id| KeyRef::Text(id))).iter().map(Vec::len).collect()
        };
        assert!(sizes(&[]).is_empty());
        assert_eq!(sizes(&vec!["a".to_owned(); 250_000]), [100_000, 100_000, 50_000]);
        assert_eq!(sizes(&vec!["a".repeat(3_000_000); 5]), [2, 2, 1]);
    }
}

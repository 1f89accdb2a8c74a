//! The repository of one view: its documents, and the tombstones of what was deleted.
//!
//! # Deletes (spec: B18)
//!
//! A batch that failed partway is written again, so a deleted instance must still say up to where it was deleted. A
//! delete writes a tombstone `(id, position)` into a collection beside the view's, and only then deletes the document.
//! A tombstone is a *fact*: handlers are pure, so an instance that is absent after the events up to a position is
//! absent after them whoever folds them. [`load`](projection_core::store::GuardedRepository::load) answers the higher
//! of document and tombstone; at the same position the document. What may happen between the steps of a delete:
//!
//! - *Nothing was written*: the next attempt starts from the document.
//! - *The tombstone is there, and so is the document*: `load` answers the tombstone, so the events are not applied
//!   again. The document is taken away by the next write to the instance, or when the tombstone is.
//! - *Both are done, but the answer was lost*: `load` answers the tombstone.
//!
//! An owner's transaction writes the tombstone and deletes the document in one. It writes one also beside the
//! checkpoint, which no replay would need: where the answer to its commit is lost, the same process folds the batch
//! again, and an absent instance would be taken for one that never was.
//!
//! Re-creation inserts the document and leaves the tombstone, which is below it from then on. Tombstones go when a
//! checkpoint has passed them, and documents below them go first: the other order would bring a document back.

mod commit;
mod epochs;
mod guarded;
mod outcomes;
mod owned;
mod plain;
mod positions;
mod statements;
mod tombstones;

use std::{
    fmt,
    marker::PhantomData,
    sync::{Arc, atomic::AtomicU64},
};

use bson::RawDocumentBuf;
use mongodb::{Collection, Database};
use projection_core::StoreError;

use self::tombstones::Tombstones;
pub(crate) use self::{epochs::Epochs, owned::Owner, tombstones::tombstones_of};
use crate::{bulk::Target, document::Format, error::Doing, find};

/// The repository of one view.
pub(crate) struct MongoRepository<S, Id> {
    format: Format,
    documents: Collection<RawDocumentBuf>,
    target: Target,
    tombstones: Tombstones,
    reading: Doing,
    writing: Doing,
    owner: Owner,
    epochs: Epochs,
    types: PhantomData<fn(S, Id)>,
}

impl<S, Id> MongoRepository<S, Id> {
    /// The repository over `collection`; looks whether there are tombstones.
    pub(crate) async fn open(
        database: &Database,
        collection: &str,
        format: Format,
        (owner, epochs): (Owner, Epochs),
        takeovers: Arc<AtomicU64>,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            documents: find::primary(database, collection),
            target: Target { database: database.clone(), collection: collection.to_owned() },
            tombstones: Tombstones::open(database, collection, takeovers).await?,
            format,
            reading: Doing::new("reading", collection),
            writing: Doing::new("writing to", collection),
            owner,
            epochs,
            types: PhantomData,
        })
    }
}

impl<S, Id> fmt::Debug for MongoRepository<S, Id> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MongoRepository").field("collection", &self.target.collection).finish_non_exhaustive()
    }
}

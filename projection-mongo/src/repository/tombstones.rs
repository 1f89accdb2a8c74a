//! The tombstones of a view, and whether there may be any: while there are none, nobody asks for them.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use bson::{RawDocumentBuf, doc};
use futures::StreamExt as _;
use mongodb::{Collection, Database};
use projection_core::{ErrorKind, KeyRef, Position, StoreError, store::RESERVED_FIELD};

use super::statements;
use crate::{
    bulk::{Statement, Target, Verb},
    document::{Format, Parsed, position_of},
    error::Doing,
    find, id,
};

/// The tombstones of one view.
#[derive(Debug)]
pub(super) struct Tombstones {
    pub(super) collection: Collection<RawDocumentBuf>,
    pub(super) target: Target,
    pub(super) reading: Doing,
    pub(super) writing: Doing,
    /// How often one was about to be written.
    written: AtomicU64,
    /// How often this process has taken a projection over: the former owner may have written some.
    takeovers: Arc<AtomicU64>,
    /// What `written` and `takeovers` were, together, when none were left.
    clean: AtomicU64,
}

/// The collection of the tombstones of a view in the collection `view`.
pub(crate) fn tombstones_of(view: &str) -> String {
    format!("{view}.tombstones")
}

impl Tombstones {
    /// How many are removed in one step.
    const STEP: u32 = 10_000;

    pub(super) async fn open(
        database: &Database,
        view: &str,
        takeovers: Arc<AtomicU64>,
    ) -> Result<Self, StoreError> {
        let name = tombstones_of(view);
        let tombstones = Self {
            collection: find::primary(database, &name),
            reading: Doing::new("reading", &name),
            writing: Doing::new("writing to", &name),
            target: Target { database: database.clone(), collection: name },
            written: AtomicU64::new(1),
            takeovers,
            clean: AtomicU64::new(0),
        };
        tombstones.clear_if_none(tombstones.now()).await?;
        Ok(tombstones)
    }

    /// Whether there may be any.
    pub(super) fn may_be(&self) -> bool {
        self.now() != self.clean.load(Ordering::SeqCst)
    }

    /// It only rises.
    fn now(&self) -> u64 {
        self.written.load(Ordering::SeqCst) + self.takeovers.load(Ordering::SeqCst)
    }

    /// One is about to be written.
    pub(super) fn expect(&self) {
        self.written.fetch_add(1, Ordering::SeqCst);
    }

    async fn clear_if_none(&self, now: u64) -> Result<(), StoreError> {
        let any = self.collection.find_one(doc! {}).await.map_err(|error| self.reading.failed(error))?;
        if any.is_none() {
            self.clean.store(now, Ordering::SeqCst);
        }
        Ok(())
    }

    /// Removes those at or before `passed`, and first the documents that they had not taken with them.
    pub(super) async fn remove(
        &self,
        format: &Format,
        documents: (&Target, &Doing),
        passed: Position,
    ) -> Result<(), StoreError> {
        // Read before looking: one that is written meanwhile is not forgotten.
        let now = self.now();
        loop {
            let some = self.some_up_to(format, passed).await?;
            let those: Vec<_> = some
                .iter()
                .filter_map(|tombstone| Some((Parsed::new(tombstone).id()?, position_of(tombstone, format)?)))
                .collect();
            if those.is_empty() {
                return self.clear_if_none(now).await;
            }
            let statements = |make: fn(&Format, KeyRef<'_>, Position) -> Vec<u8>| {
                those.iter().enumerate().map(move |(place, (id, position))| {
                    Ok(Statement { place, bytes: 0, document: make(format, *id, *position) })
                })
            };
            let (target, writing) = documents;
            let left = statements(statements::delete_before);
            target.send_whole(writing, Verb::Delete, those.len(), left).await?;
            let these = statements(statements::delete_up_to);
            self.target.send_whole(&self.writing, Verb::Delete, those.len(), these).await?;
        }
    }

    async fn some_up_to(&self, format: &Format, passed: Position) -> Result<Vec<RawDocumentBuf>, StoreError> {
        let mut up_to = doc! { format.position_path(): { "$lte": passed.as_i64() } };
        if let Some(version) = format.version {
            up_to.insert(format!("{RESERVED_FIELD}.version"), i64::from(version));
        }
        let found = self.collection.find(up_to).limit(Self::STEP.into()).batch_size(Self::STEP + 1);
        let mut found = found.await.map_err(|error| self.reading.failed(error))?;
        let mut some = Vec::new();
        while let Some(tombstone) = found.next().await {
            let tombstone = tombstone.map_err(|error| self.reading.failed(error))?;
            if Parsed::new(&tombstone).id().is_none() {
                let found = tombstone.get("_id").ok().flatten().map(|id| format!("{id:?}")).unwrap_or_default();
                let message = format!("`_id` {found} is none of ours: remove it");
                return Err(self.reading.wrong(ErrorKind::Permanent, message));
            }
            some.push(tombstone);
        }
        Ok(some)
    }
}

/// For the error of a document that we did not write.
pub(super) fn instance(document: &bson::RawDocument) -> String {
    match document.get("_id") {
        Ok(Some(found)) => id::from_bson(found).map_or_else(|| format!("{found:?}"), |id| id.to_string()),
        _ => "without `_id`".to_owned(),
    }
}

//! The repository with positions: effectively once (spec: B11).

use std::collections::HashMap;

use async_trait::async_trait;
use bson::{RawDocument, doc};
use projection_core::{
    ErrorKind, Key, Position, StoreError,
    projection::ViewState,
    store::{CheckpointOutcome, Commit, Committed, GuardedRepository, Stored},
};

use super::{MongoRepository, commit::Batch, outcomes::Outcomes, owned, tombstones::instance};
use crate::{
    document::{Parsed, position_of},
    find,
};

impl<S: ViewState, Id: Key> MongoRepository<S, Id> {
    fn stored(&self, document: &RawDocument) -> Result<Stored<S>, StoreError> {
        let parsed = Parsed::new(document);
        let unusable = |unusable| {
            let message = format!("instance {} {unusable}", instance(document));
            self.reading.wrong(ErrorKind::Permanent, message)
        };
        Ok(Stored {
            position: parsed.position(&self.format).map_err(unusable)?,
            offered: parsed.offered().map_err(unusable)?,
            state: Some(self.state(&parsed)?),
            bytes: parsed.size(),
        })
    }

    fn tombstone(&self, document: &RawDocument) -> Result<Option<Stored<S>>, StoreError> {
        let Some(position) = position_of(document, &self.format) else {
            return Ok(None);
        };
        let offered = Parsed::new(document).offered();
        let offered = offered.map_err(|error| self.tombstones.reading.wrong(ErrorKind::Permanent, error))?;
        Ok(Some(Stored { state: None, position, offered, bytes: 0 }))
    }
}

#[async_trait]
impl<S: ViewState, Id: Key> GuardedRepository<S, Id> for MongoRepository<S, Id> {
    async fn load(&self, ids: &[Id]) -> Result<Vec<(usize, Stored<S>)>, StoreError> {
        let mut found: HashMap<usize, Stored<S>> = HashMap::with_capacity(ids.len());
        let keys = || ids.iter().map(Key::as_key);
        find::by_id(&self.documents, &self.reading, keys(), None, |places, document| {
            for place in places {
                found.insert(*place, self.stored(document)?);
            }
            Ok(())
        })
        .await?;
        // After the documents: one that is deleted between the two reads has its tombstone by then.
        if self.tombstones.may_be() {
            let Self { tombstones, .. } = self;
            find::by_id(&tombstones.collection, &tombstones.reading, keys(), None, |places, document| {
                for place in places {
                    let Some(tombstone) = self.tombstone(document)? else {
                        continue;
                    };
                    if found.get(place).is_none_or(|stored| stored.position < tombstone.position) {
                        found.insert(*place, tombstone);
                    }
                }
                Ok(())
            })
            .await?;
        }
        Ok(found.into_iter().collect())
    }

    async fn is_empty(&self) -> Result<bool, StoreError> {
        if self.tombstones.may_be() {
            return Ok(false);
        }
        let any = self.documents.find_one(doc! {}).await.map_err(|error| self.reading.failed(error))?;
        Ok(any.is_none())
    }

    async fn commit(&self, commit: Commit<'_, S, Id>) -> Committed {
        let changes = commit.changes.len();
        if let Some(fence) = commit.fence {
            if self.owner.has_transactions {
                return owned::write(self, &self.owner, &commit, fence).await;
            }
            match self.owner.owns(fence).await {
                Ok(true) => {}
                Ok(false) => {
                    let mut outcomes = Outcomes::none(changes);
                    outcomes.rest_lost();
                    return Committed { outcomes: outcomes.finish(), checkpoint: CheckpointOutcome::Fenced };
                }
                Err(error) => {
                    let mut outcomes = Outcomes::none(changes);
                    (0..changes).for_each(|place| outcomes.not_written(place, &error));
                    return Committed { outcomes: outcomes.finish(), checkpoint: CheckpointOutcome::NotJoined };
                }
            }
        }
        let outcomes = Outcomes::none(changes);
        let batch = Batch { repository: self, changes: commit.changes, outcomes };
        Committed { outcomes: batch.write().await, checkpoint: CheckpointOutcome::NotJoined }
    }

    async fn checkpoint_passed(&self, passed: Position) -> Result<(), StoreError> {
        if !self.tombstones.may_be() {
            return Ok(());
        }
        self.tombstones.remove(&self.format, (&self.target, &self.writing), passed).await
    }
}

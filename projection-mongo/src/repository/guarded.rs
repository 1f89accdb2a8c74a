//! The repository with positions: effectively once (spec: B11).

use std::collections::HashMap;

use async_trait::async_trait;
use bson::{RawDocument, doc};
use projection_core::{
    ErrorKind, Key, Position, StoreError,
    projection::ViewState,
    store::{Change, CheckpointOutcome, Commit, Committed, Fence, GuardedRepository, Stored},
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

impl<S: ViewState, Id: Key> MongoRepository<S, Id> {
    async fn write(&self, changes: &[Change<'_, S, Id>], epoch: Option<i64>) -> Outcomes {
        let outcomes = Outcomes::none(changes.len());
        Batch { repository: self, changes, epoch, outcomes }.write().await
    }

    /// Writes as an owner, without transactions: looks at the fence before, and after where something was refused.
    async fn write_fenced(&self, changes: &[Change<'_, S, Id>], fence: &Fence) -> Committed {
        let mut outcomes = Outcomes::none(changes.len());
        let mut checkpoint = CheckpointOutcome::NotJoined;
        match self.still_owns(fence).await {
            Err(error) => outcomes.rest_not_written(&error),
            Ok(false) => checkpoint = CheckpointOutcome::Fenced,
            Ok(true) => {
                outcomes = self.write(changes, self.epochs.stamp(fence.epoch)).await;
                if outcomes.any_rejected() && !self.owner.owns(fence).await.unwrap_or(true) {
                    outcomes.rejected_lost();
                    checkpoint = CheckpointOutcome::Fenced;
                }
            }
        }
        if matches!(checkpoint, CheckpointOutcome::Fenced) {
            outcomes.rest_lost();
        }
        Committed { outcomes: outcomes.finish(), checkpoint }
    }

    /// In this order: a former owner that still tells the validator its epoch sees then that it is one.
    async fn still_owns(&self, fence: &Fence) -> Result<bool, StoreError> {
        self.epochs.tell(&self.target, fence.epoch).await?;
        self.owner.owns(fence).await
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
        match commit.fence {
            Some(fence) if self.owner.has_transactions => owned::write(self, &self.owner, &commit, fence).await,
            Some(fence) => self.write_fenced(commit.changes, fence).await,
            None => {
                let outcomes = self.write(commit.changes, None).await;
                Committed { outcomes: outcomes.finish(), checkpoint: CheckpointOutcome::NotJoined }
            }
        }
    }

    async fn checkpoint_passed(&self, passed: Position) -> Result<(), StoreError> {
        if !self.tombstones.may_be() {
            return Ok(());
        }
        self.tombstones.remove(&self.format, (&self.target, &self.writing), passed).await
    }
}

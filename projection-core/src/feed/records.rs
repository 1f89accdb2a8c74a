//! What is recorded of a view besides its state, read without its engine, which may be busy.

use std::sync::Arc;

use super::AppliedError;
use crate::{
    FeedError, OnPoison, Position, StoreError,
    engine::{Identity, Router, Source},
    store::{Checkpoint, CheckpointKey, CheckpointStorage, ParkedInstance, Window},
};

/// Where it stands, and what it needs to tell whether an event is in the view.
pub(super) struct Records {
    pub identity: Identity,
    pub checkpoints: Arc<dyn CheckpointStorage>,
    pub source: Arc<dyn Source>,
    pub router: Router,
    pub on_poison: OnPoison,
}

/// How many events of an append are read at once.
const PAGE: usize = 1000;

impl Records {
    /// Whether events are passed over with a record, rather than failing the projection.
    pub(super) fn may_pass_over(&self) -> bool {
        self.on_poison != OnPoison::Fail
    }

    /// How far the view is, whoever feeds it.
    pub(super) async fn checkpoint(&self) -> Result<Option<Checkpoint>, FeedError> {
        self.checkpoint_of(self.identity.version).await
    }

    /// The same of another version of it.
    pub(super) async fn checkpoint_of(&self, version: u32) -> Result<Option<Checkpoint>, FeedError> {
        let all = self.read(self.checkpoints.load(&self.identity.projection).await)?;
        let key = CheckpointKey { version, ..self.identity.key() };
        Ok(all.into_iter().find(|checkpoint| checkpoint.key == key))
    }

    /// The instances that take no events.
    pub(super) async fn parked(&self) -> Result<Vec<ParkedInstance>, FeedError> {
        let mut parked = self.read(self.checkpoints.parked(&self.identity.projection).await)?;
        let key = self.identity.key();
        parked.retain(|parked| parked.key == key);
        Ok(parked)
    }

    /// `Err` if an event after `after`, up to `last`, was skipped, or an instance that it changes is parked and did not
    /// take it.
    pub(super) async fn look_for(&self, after: Position, last: Position) -> Result<(), AppliedError> {
        let key = self.identity.key();
        let skipped = self.read(self.checkpoints.skipped(&key.projection).await)?;
        let within = |position: Position| after < position && position <= last;
        if let Some(found) = skipped.into_iter().find(|skipped| skipped.key == key && within(skipped.position)) {
            return Err(AppliedError::PassedOver {
                projection: found.key.projection,
                event: found.event,
                instance: found.instance,
                parked: false,
                cause: found.cause,
            });
        }
        let mut parked = self.parked().await?;
        parked.retain(|parked| parked.from <= last);
        if parked.is_empty() { Ok(()) } else { self.not_taken(after, last, &parked).await }
    }

    /// Reads the events again, to see which instances they change.
    async fn not_taken(
        &self,
        after: Position,
        last: Position,
        parked: &[ParkedInstance],
    ) -> Result<(), AppliedError> {
        let mut covered = after;
        while covered < last {
            let page = self.source.read(Window { after: covered, up_to: last }, PAGE).await;
            let projection = || self.identity.projection.clone();
            let page =
                page.map_err(|source| FeedError::Read { projection: projection(), after: covered, source })?;
            for event in &page.events {
                let named = (self.router)(event);
                let not_taken = |parked: &&ParkedInstance| {
                    parked.from <= event.meta.position() && named.contains(&parked.instance)
                };
                if let Some(found) = parked.iter().find(not_taken) {
                    return Err(AppliedError::PassedOver {
                        projection: projection(),
                        event: event.meta.event().clone(),
                        instance: Some(found.instance.clone()),
                        parked: true,
                        cause: found.cause.clone(),
                    });
                }
            }
            covered = page.covers;
        }
        Ok(())
    }

    fn read<T>(&self, read: Result<T, StoreError>) -> Result<T, FeedError> {
        read.map_err(|source| self.identity.storage_failed("its records cannot be read", source))
    }
}

//! Releasing a parked instance: its events are read again from where it was parked, and it joins at a batch boundary
//! (spec: B14).

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{
    Engine,
    reader::{Ahead, Pages},
    waiting::retried,
};
use crate::{
    FeedError, Position,
    store::{ParkedInstance, SkippedEvent, Window},
};

impl Engine {
    /// The parked instances of this view.
    pub(crate) async fn parked(&self, stop: &CancellationToken) -> Result<Vec<ParkedInstance>, FeedError> {
        let load = || self.checkpoints.parked(&self.identity.projection);
        let all =
            self.settled("its parked instances cannot be read", retried(self.options.retry(), stop, load).await)?;
        let key = self.identity.key();
        Ok(all.into_iter().filter(|parked| parked.key == key).collect())
    }

    /// Applies to a parked instance what it missed; with `without`, all but the event it was parked for, which is
    /// recorded as skipped. Says whether it is released: should an event fail again, it stays parked, from there.
    ///
    /// The record goes last. Should the process end before, the instance is still parked, and what was applied is guarded
    /// by its position.
    pub(crate) async fn release(
        &mut self,
        parked: &ParkedInstance,
        without: bool,
        stop: &CancellationToken,
    ) -> Result<bool, FeedError> {
        if without {
            let one = [skip(parked)];
            let recorded = retried(self.options.retry(), stop, || self.checkpoints.record_skipped(&one)).await;
            self.settled("a skipped event cannot be recorded", recorded)?;
        }
        self.target.release(Some(&parked.instance));
        let applied = self.again(parked.from, without, stop).await;
        self.target.release(None);
        applied?;
        if self.target.is_parked(&parked.instance) {
            return Ok(false);
        }
        let unpark = || self.checkpoints.unpark(&parked.key, &parked.instance);
        let removed = retried(self.options.retry(), stop, unpark).await;
        self.settled("the record of a parked instance cannot be removed", removed)?;
        self.told();
        Ok(true)
    }

    /// Applies what stands from `from` up to where the view is.
    async fn again(&mut self, from: Position, without: bool, stop: &CancellationToken) -> Result<(), FeedError> {
        self.broken_off = true;
        let window = Window { after: from.before(), up_to: self.position };
        let mut pages =
            Pages::of(Arc::clone(&self.source), window, self.options.retry().clone(), stop.clone(), Ahead::NEAR);
        let mut covered = window.after;
        while covered < window.up_to {
            let page = pages.next(stop).await.map_err(|gave_up| self.read_failed(covered, gave_up))?;
            covered = page.covers;
            for event in &page.events {
                if event.meta.position() == from && without {
                    continue;
                }
                self.take(event)?;
                if self.target.is_full() {
                    self.flush(self.position, stop).await?;
                }
            }
        }
        if !self.target.is_empty() {
            self.flush(self.position, stop).await?;
        }
        self.broken_off = false;
        Ok(())
    }
}

fn skip(parked: &ParkedInstance) -> SkippedEvent {
    SkippedEvent {
        key: parked.key.clone(),
        position: parked.from,
        event: parked.event.clone(),
        name: parked.name.clone(),
        instance: Some(parked.instance.clone()),
        cause: parked.cause.clone(),
    }
}

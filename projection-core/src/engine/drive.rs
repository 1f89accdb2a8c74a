//! Driving a view: pages through its target, a flush at the end of each batch, a checkpoint with or after each flush.

use std::{collections::BTreeSet, sync::Arc};

use tokio_util::sync::CancellationToken;

use super::{
    Identity,
    ahead::Taken,
    decode::{DecodedEvent, DecodedPage},
    reader::{Ahead, Pages},
    source::Source,
    target::{Flushed, Target},
    waiting::{GaveUp, retried},
};
use crate::{
    FeedError, MaterializedViewOptions, OnPoison, Position,
    progress::ProgressRecorder,
    store::{Checkpoint, CheckpointOutcome, CheckpointStorage, Fence, Window},
};

/// One view, its source, and how far it is.
pub(crate) struct Engine {
    pub identity: Identity,
    pub source: Arc<dyn Source>,
    pub target: Box<dyn Target>,
    pub checkpoints: Arc<dyn CheckpointStorage>,
    pub options: MaterializedViewOptions,
    pub progress: Arc<ProgressRecorder>,
    /// Every event up to here is flushed, irrelevant, or recorded. It moves after a flush only.
    pub position: Position,
    pub start: Position,
    pub caught_up: bool,
    /// What the checkpoint storage holds.
    pub stored: Option<Position>,
    /// Whether flushed batches are claimed by checkpoints (spec: P7).
    pub claims: bool,
    /// Up to here events go the way of the batches, also in a replay with a memory budget.
    pub by_batches: Position,
    /// Whether the history is being replayed.
    pub replaying: bool,
    /// Whether a run was broken off in the middle, so that memory may not be what is stored.
    pub broken_off: bool,
    /// Whether a replay of the history has begun in this process.
    pub begun: bool,
    /// Who writes, where owners are told apart.
    pub fence: Option<Fence>,
}

impl Engine {
    /// Reads the checkpoint, and refuses to go on from one that other handlers stored (spec: B16). States in memory are
    /// forgotten, since somebody else may have written. Where a checkpoint that was there is gone, the view begins anew.
    pub(crate) async fn restore(&mut self, stop: &CancellationToken) -> Result<Option<Checkpoint>, FeedError> {
        self.target.discard();
        self.broken_off = false;
        if self.options.start().forgets() {
            return Ok(None);
        }
        let load = || self.checkpoints.load(&self.identity.projection);
        let found =
            self.settled("its checkpoint cannot be read", retried(self.options.retry(), stop, load).await)?;
        let parked = self.parked(stop).await?;
        self.target.park(&parked);
        self.told();
        let key = self.identity.key();
        let Some(checkpoint) = found.into_iter().find(|checkpoint| checkpoint.key == key) else {
            if self.stored.take().is_some() {
                (self.position, self.start, self.caught_up) = (Position::START, Position::START, false);
            }
            return Ok(None);
        };
        let handled: BTreeSet<String> = checkpoint.handled.iter().cloned().collect();
        let changed = handled != self.identity.handled;
        if changed && !self.options.accept_changed_handlers() {
            return Err(self.changed_handlers(&checkpoint, &handled));
        }
        // What this process has flushed past the last checkpoint that it could store is flushed all the same.
        self.position =
            checkpoint.position.max(if self.stored.is_some() { self.position } else { Position::START });
        self.start = checkpoint.start;
        self.caught_up = checkpoint.caught_up;
        self.told();
        self.stored = Some(checkpoint.position);
        if changed {
            self.store(self.checkpoint(self.position), stop).await?;
        }
        Ok(Some(checkpoint))
    }

    /// The store's mark (spec: P23).
    pub(crate) async fn mark(&mut self, stop: &CancellationToken) -> Result<Position, FeedError> {
        let mark = retried(self.options.retry(), stop, || self.source.mark()).await;
        let mark = self.settled("the event store does not say up to where events can be read", mark)?;
        self.progress.head(mark);
        crate::meters::lag(&self.identity.projection, mark, self.position);
        Ok(mark)
    }

    /// Applies every event up to `mark`; when it returns, all of it is stored.
    pub(crate) async fn advance(&mut self, mark: Position, stop: &CancellationToken) -> Result<(), FeedError> {
        while !self.go_on(mark, stop).await? {}
        if self.folds_ahead() {
            self.target.discard();
        }
        Ok(())
    }

    /// Goes on from where the view is up to `mark`; whether it got there, or is to go on from where the view is now.
    async fn go_on(&mut self, mark: Position, stop: &CancellationToken) -> Result<bool, FeedError> {
        if self.broken_off {
            self.target.discard();
        }
        if mark <= self.position {
            return Ok(true);
        }
        self.broken_off = true;
        let window = Window { after: self.position, up_to: mark };
        let ahead = if self.folds_ahead() { Ahead::FAR } else { Ahead::NEAR };
        let retry = self.options.retry().clone();
        let mut pages = Pages::of(Arc::clone(&self.source), window, retry, stop.clone(), ahead);
        let mut covered = self.position;
        while covered < mark {
            let page = pages.next(stop).await.map_err(|gave_up| self.read_failed(covered, gave_up))?;
            let before = std::mem::replace(&mut covered, page.covers);
            self.progress.update(self.position, |progress| {
                progress.spent.read += page.read;
                progress.spent.decode += page.decode;
            });
            match self.take_page(&page, before, stop).await? {
                Taken::Whole => {}
                Taken::ByBatches => self.take_events(&page, stop).await?,
                Taken::Again => return Ok(false),
            }
            if stop.is_cancelled() {
                return Err(self.stopped());
            }
            if self.target.is_empty() {
                self.pass(page.covers, stop).await?;
            }
        }
        if !self.target.is_empty() {
            self.flush(mark, stop).await?;
        }
        self.broken_off = false;
        Ok(true)
    }

    /// Buffers the events of a page, and flushes each batch that is full.
    async fn take_events(&mut self, page: &DecodedPage, stop: &CancellationToken) -> Result<(), FeedError> {
        for event in &page.events {
            self.take(event)?;
            if self.target.is_full() {
                self.flush(event.meta.position(), stop).await?;
            }
            if stop.is_cancelled() {
                return Err(self.stopped());
            }
        }
        self.end_page(page.covers, stop).await
    }

    /// Applies events that the store does not hold (spec: P20).
    pub(crate) async fn apply_offered(
        &mut self,
        events: &[Arc<DecodedEvent>],
        stop: &CancellationToken,
    ) -> Result<(), FeedError> {
        if self.broken_off {
            self.target.discard();
        }
        self.broken_off = true;
        for event in events {
            self.take(event)?;
            if self.target.is_full() {
                self.flush(self.position, stop).await?;
            }
        }
        if !self.target.is_empty() {
            self.flush(self.position, stop).await?;
        }
        self.broken_off = false;
        Ok(())
    }

    /// Buffers one event, or deals with one that cannot be (spec: B14).
    pub(super) fn take(&mut self, event: &Arc<DecodedEvent>) -> Result<(), FeedError> {
        match self.target.push(event) {
            Ok(0) => self.progress.update(self.position, |progress| progress.events_skipped += 1),
            Ok(_) => {}
            Err(source) if self.options.on_poison() == OnPoison::Skip && event.stored => {
                self.target.skip(self.identity.skipped(event, None, &source.to_string()));
                self.progress.update(self.position, |progress| progress.events_skipped += 1);
            }
            Err(source) => return Err(self.identity.poison(event, None, source)),
        }
        Ok(())
    }

    /// Writes the batch, then the checkpoint that claims everything up to `reached` (spec: P10, B12).
    pub(super) async fn flush(&mut self, reached: Position, stop: &CancellationToken) -> Result<(), FeedError> {
        let checkpoint = self.checkpoint(reached);
        let claimed = (!self.options.start().forgets()).then_some(&checkpoint);
        let (target, context) = self.target_with(claimed, stop);
        let flushed = target.flush(&context).await?;
        // A stop may end a hand-written view between two events: what it has applied is claimed.
        let (reached, checkpoint) = match flushed.stopped_at {
            None => (reached, checkpoint),
            Some(early) => (early, Checkpoint { position: early, ..checkpoint }),
        };
        self.position = reached;
        match flushed.checkpoint {
            CheckpointOutcome::Stored => self.passed(reached).await,
            CheckpointOutcome::NotJoined | CheckpointOutcome::Unknown(_) => self.store(checkpoint, stop).await?,
            CheckpointOutcome::Fenced => {
                return Err(FeedError::Fenced { projection: self.identity.projection.clone() });
            }
        }
        self.count(reached, &flushed);
        // Stores that never wait, such as those in memory, must leave room for others.
        tokio::task::yield_now().await;
        if flushed.stopped_at.is_some() { Err(self.stopped()) } else { Ok(()) }
    }

    /// Nothing up to `reached` changes the view: the checkpoint moves without a flush (spec: B13).
    async fn pass(&mut self, reached: Position, stop: &CancellationToken) -> Result<(), FeedError> {
        self.position = reached;
        self.store(self.checkpoint(reached), stop).await?;
        self.progress.update(reached, |_| {});
        Ok(())
    }

    /// Records that the replay has completed (spec: P7, P22).
    pub(crate) async fn record_caught_up(&mut self, stop: &CancellationToken) -> Result<(), FeedError> {
        let checkpoint = Checkpoint { caught_up: true, ..self.checkpoint(self.position) };
        self.store(checkpoint, stop).await?;
        self.caught_up = true;
        Ok(())
    }

    /// The checkpoint that claims everything up to `reached`.
    pub(crate) fn checkpoint(&self, reached: Position) -> Checkpoint {
        let checkpoint = self.identity.checkpoint(reached, self.start, self.caught_up);
        Checkpoint { fence: self.fence.clone(), ..checkpoint }
    }

    /// Stores a checkpoint, if flushed batches are claimed at all.
    pub(crate) async fn store(
        &mut self,
        checkpoint: Checkpoint,
        stop: &CancellationToken,
    ) -> Result<(), FeedError> {
        if !self.claims || self.options.start().forgets() {
            return Ok(());
        }
        let one = std::slice::from_ref(&checkpoint);
        let saved = retried(self.options.retry(), stop, || self.checkpoints.save(one)).await;
        self.settled("its checkpoint cannot be stored", saved)?;
        self.passed(checkpoint.position).await;
        Ok(())
    }

    async fn passed(&mut self, position: Position) {
        self.stored = Some(position);
        if let Err(error) = self.target.checkpoint_passed(position).await {
            tracing::warn!(%position, %error, "tombstones stay until the next checkpoint");
        }
    }

    /// Progress knows what is known of the view.
    pub(super) fn told(&self) {
        self.progress.view(self.start, self.target.parked());
    }

    fn count(&mut self, reached: Position, flushed: &Flushed) {
        tracing::debug!(
            position = %reached, events = flushed.events, instances = flushed.instances,
            fold = ?flushed.fold, io = ?flushed.io, "batch flushed"
        );
        self.told();
        self.progress.update(reached, |progress| {
            progress.events_applied += flushed.events as u64;
            progress.instances_written += flushed.instances as u64;
            progress.batches += 1;
            progress.spent.fold += flushed.fold;
            progress.spent.flush += flushed.io;
        });
        crate::meters::flushed(&self.identity.projection, reached, flushed.events, flushed.instances);
    }
}

// What goes wrong, in the projection's name.
impl Engine {
    pub(crate) fn stopped(&self) -> FeedError {
        FeedError::Stopped { projection: self.identity.projection.clone() }
    }

    pub(crate) fn settled<T>(&self, what: &'static str, result: Result<T, GaveUp>) -> Result<T, FeedError> {
        result.map_err(|gave_up| match gave_up {
            GaveUp::Failed { source, .. } => self.identity.storage_failed(what, source),
            GaveUp::Stopped => self.stopped(),
        })
    }

    pub(super) fn read_failed(&self, after: Position, gave_up: GaveUp) -> FeedError {
        match gave_up {
            GaveUp::Failed { source, .. } => {
                FeedError::Read { projection: self.identity.projection.clone(), after, source }
            }
            GaveUp::Stopped => self.stopped(),
        }
    }

    fn changed_handlers(&self, checkpoint: &Checkpoint, handled: &BTreeSet<String>) -> FeedError {
        let list =
            |names: Vec<&String>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let came = list(self.identity.handled.difference(handled).collect());
        let went = list(handled.difference(&self.identity.handled).collect());
        let change = match (came.is_empty(), went.is_empty()) {
            (false, true) => format!("they now also take {came}"),
            (true, false) => format!("they no longer take {went}"),
            _ => format!("they now also take {came}, and no longer {went}"),
        };
        FeedError::ChangedHandlers {
            projection: self.identity.projection.clone(),
            version: self.identity.version,
            position: checkpoint.position,
            change,
        }
    }
}

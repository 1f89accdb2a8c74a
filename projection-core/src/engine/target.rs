//! What the engine drives: something that takes events in order and flushes them in batches.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::{
    Absorbed, Engine, HandlerTable, History, Identity, Parked, Refolded, Sample, Verified, absorb, batch::Batch,
    cache::StateCache, decode::DecodedEvent, flush, route::route, verify, working::WorkingSet,
};
use crate::{
    FeedError, Key, MaterializedViewOptions, Position, Projection, StoreError,
    feed::ReplayAware,
    store::{
        Checkpoint, CheckpointOutcome, CheckpointStorage, Fence, ParkedInstance, SharedRepository, SkippedEvent,
    },
};

/// A view as the engine sees it.
#[async_trait]
pub(crate) trait Target: Send + Sync {
    /// Buffers an event, and says for how many instances. `Err`: it cannot be decoded or routed; nothing was buffered.
    fn push(&mut self, event: &Arc<DecodedEvent>) -> Result<usize, StoreError>;

    /// Whether a replay may fold pages as they come, by [`absorb`](Self::absorb).
    fn folds_ahead(&self) -> bool {
        false
    }

    /// Folds a page onto states in memory, to be written by the next flush.
    async fn absorb(
        &mut self,
        _events: &[Arc<DecodedEvent>],
        _context: &FlushContext<'_>,
    ) -> Result<Absorbed, FeedError> {
        Ok(Absorbed::Nothing)
    }

    /// Records, with the next flush, that an event was passed over.
    fn skip(&mut self, skipped: SkippedEvent);

    /// Whether the buffer has reached a bound of its batch.
    fn is_full(&self) -> bool;

    /// Whether there is nothing to flush.
    fn is_empty(&self) -> bool;

    /// Writes what is buffered.
    async fn flush(&mut self, context: &FlushContext<'_>) -> Result<Flushed, FeedError>;

    /// Folds anew from `history` the instances that these events change, which came at positions that the view had
    /// passed. Nothing may be buffered.
    async fn refold(
        &mut self,
        late: &[Arc<DecodedEvent>],
        _history: &History,
        context: &FlushContext<'_>,
    ) -> Result<Refolded, FeedError> {
        Err(FeedError::Late {
            projection: context.identity.projection.clone(),
            position: late.first().map_or(Position::START, |event| event.meta.position()),
            instances: Vec::new(),
            reason: "a view that was written by hand cannot be folded anew in part".to_owned(),
        })
    }

    /// Compares what is stored with `history`. Nothing may be buffered.
    async fn verify(
        &self,
        _sample: Sample<'_>,
        _history: &History,
        _context: &FlushContext<'_>,
    ) -> Result<Verified, FeedError> {
        Ok(Verified::default())
    }

    /// Throws away what is buffered, and every state that may not be what is stored.
    fn discard(&mut self);

    /// These instances, and no others, take no events.
    fn park(&mut self, _parked: &[ParkedInstance]) {}

    /// From here on only `instance`, which is no longer parked, takes events; `None` ends that.
    fn release(&mut self, _instance: Option<&str>) {}

    /// Whether `instance` takes no events.
    fn is_parked(&self, _instance: &str) -> bool {
        false
    }

    /// How many instances take no events.
    fn parked(&self) -> usize {
        0
    }

    /// A checkpoint at `passed` is stored.
    async fn checkpoint_passed(&self, _passed: Position) -> Result<(), StoreError> {
        Ok(())
    }

    /// The hooks of a hand-written view.
    fn replay_aware(&self) -> Option<&dyn ReplayAware> {
        None
    }
}

/// What a flush needs besides the batch.
pub(crate) struct FlushContext<'a> {
    pub identity: &'a Identity,
    pub options: &'a MaterializedViewOptions,
    /// What claims the batch; none for a view that forgets how far it is.
    pub checkpoint: Option<&'a Checkpoint>,
    pub checkpoints: &'a dyn CheckpointStorage,
    pub stop: &'a CancellationToken,
    /// Whether the history is being replayed.
    pub replaying: bool,
    /// Who writes, where owners are told apart.
    pub fence: Option<&'a Fence>,
}

impl Engine {
    /// The target, and what it needs from the engine, to be used together.
    pub(super) fn target_with<'a>(
        &'a mut self,
        checkpoint: Option<&'a Checkpoint>,
        stop: &'a CancellationToken,
    ) -> (&'a mut dyn Target, FlushContext<'a>) {
        let Self { target, identity, options, checkpoints, fence, replaying, .. } = self;
        let (checkpoints, replaying, fence) = (&**checkpoints, *replaying, fence.as_ref());
        let context = FlushContext { identity, options, checkpoint, checkpoints, stop, replaying, fence };
        (target.as_mut(), context)
    }
}

/// What a flush did.
#[derive(Debug)]
pub(crate) struct Flushed {
    pub checkpoint: CheckpointOutcome,
    /// A stop ended it early: everything up to here is applied.
    pub stopped_at: Option<Position>,
    pub events: usize,
    pub instances: usize,
    pub fold: Duration,
    pub io: Duration,
}

impl Flushed {
    pub(crate) fn nothing() -> Self {
        Self {
            checkpoint: CheckpointOutcome::NotJoined,
            stopped_at: None,
            events: 0,
            instances: 0,
            fold: Duration::ZERO,
            io: Duration::ZERO,
        }
    }
}

/// The materialized view of a projection, kept in a repository.
pub(crate) struct ProjectionTarget<P: Projection> {
    pub(super) table: HandlerTable<P>,
    pub(super) repository: SharedRepository<P>,
    pub(super) cache: StateCache<P::State, P::Id>,
    /// The states of a replay with a memory budget.
    pub(super) working: Option<WorkingSet<P::State, P::Id>>,
    /// Instances that take no events (spec: B14).
    pub(super) parked: Parked,
    batch: Batch<P::Id>,
    /// While a parked instance is released: the only one that takes events.
    only: Option<String>,
    batch_size: usize,
    batch_bytes: usize,
    max_replay_loss: Duration,
}

impl<P: Projection> ProjectionTarget<P> {
    pub(crate) fn new(repository: SharedRepository<P>, options: &MaterializedViewOptions) -> Self {
        let budget = options.memory_budget().filter(|_| repository.guarded().is_some());
        Self {
            table: HandlerTable::new(),
            working: budget.map(WorkingSet::new),
            repository,
            cache: StateCache::new(options.cache_bytes()),
            parked: Parked::default(),
            batch: Batch::new(),
            only: None,
            batch_size: options.batch_size(),
            batch_bytes: options.batch_bytes(),
            max_replay_loss: options.max_replay_loss(),
        }
    }
}

#[async_trait]
impl<P: Projection> Target for ProjectionTarget<P> {
    fn push(&mut self, event: &Arc<DecodedEvent>) -> Result<usize, StoreError> {
        let Some(only) = &self.only else { return route(&self.table, &mut self.batch, event) };
        let mut all = Batch::new();
        route(&self.table, &mut all, event)?;
        all.instances.retain(|id, _| id.as_key().to_string() == *only);
        self.batch.add(all, event.bytes);
        Ok(1)
    }

    fn folds_ahead(&self) -> bool {
        self.working.is_some()
    }

    async fn absorb(
        &mut self,
        events: &[Arc<DecodedEvent>],
        context: &FlushContext<'_>,
    ) -> Result<Absorbed, FeedError> {
        absorb::absorb(self, events, context).await
    }

    fn skip(&mut self, skipped: SkippedEvent) {
        self.batch.passed.skipped.push(skipped);
    }

    fn is_full(&self) -> bool {
        self.batch.pairs >= self.batch_size
            || self.batch.bytes >= self.batch_bytes
            || self.batch.passed.skipped.len() >= self.batch_size
            || self.working.as_ref().is_some_and(|set| set.is_full(self.max_replay_loss))
    }

    fn is_empty(&self) -> bool {
        self.batch.is_empty() && self.working.as_ref().is_none_or(WorkingSet::is_empty)
    }

    async fn flush(&mut self, context: &FlushContext<'_>) -> Result<Flushed, FeedError> {
        let batch = std::mem::replace(&mut self.batch, Batch::new());
        let flushed = flush::flush(self, batch, context).await;
        if flushed.is_err() {
            self.discard();
        }
        flushed
    }

    async fn refold(
        &mut self,
        late: &[Arc<DecodedEvent>],
        history: &History,
        context: &FlushContext<'_>,
    ) -> Result<Refolded, FeedError> {
        flush::anew::refold(self, late, history, context).await
    }

    async fn verify(
        &self,
        sample: Sample<'_>,
        history: &History,
        context: &FlushContext<'_>,
    ) -> Result<Verified, FeedError> {
        verify::verify(self, sample, history, context).await
    }

    fn discard(&mut self) {
        self.batch = Batch::new();
        self.cache.clear();
        if let Some(set) = &mut self.working {
            set.clear();
        }
        self.only = None;
    }

    fn park(&mut self, parked: &[ParkedInstance]) {
        self.parked.clear();
        self.parked.add(parked);
    }

    fn release(&mut self, instance: Option<&str>) {
        if let Some(instance) = instance {
            self.parked.remove(instance);
        }
        self.only = instance.map(str::to_owned);
    }

    fn is_parked(&self, instance: &str) -> bool {
        !self.parked.takes(instance, Position::END)
    }

    fn parked(&self) -> usize {
        self.parked.len()
    }

    async fn checkpoint_passed(&self, passed: Position) -> Result<(), StoreError> {
        match self.repository.guarded() {
            Some(guarded) => guarded.checkpoint_passed(passed).await,
            None => Ok(()),
        }
    }
}

//! One view being fed: its engine, and what is shared with those who steer it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::{
    Hold,
    records::Records,
    state::Shared,
    view::{FeedParts, ViewParts},
};
use crate::{
    FeedError, Filter, Position, Progress, StoreError,
    engine::{Engine, Source, StoreSource},
    progress::{Phase, ProgressRecorder},
    store::{CheckpointStorage, EventStore, Fence},
};

/// One view being fed. The engine does one thing at a time; what is shared is small and never held over an await.
pub(crate) struct FeedCore {
    pub(super) projection: String,
    pub(super) source: Arc<dyn Source>,
    pub(super) records: Records,
    pub(super) engine: tokio::sync::Mutex<Engine>,
    shared: Mutex<Shared>,
    /// There is room for another offered event, or the state has changed.
    pub(super) changed: Notify,
    pub(super) progress: Arc<ProgressRecorder>,
    pub(super) hold: Hold,
    /// Whether someone starts it again when an error may pass.
    pub(super) supervised: bool,
}

impl FeedCore {
    /// Feeds what `parts` were taken of. `Err`: the filter names an event that no handler takes.
    pub(crate) fn new<S: EventStore>(
        parts: FeedParts<S>,
        events: Arc<S>,
        filter: Filter,
        checkpoints: Arc<dyn CheckpointStorage>,
        hold: Hold,
    ) -> Result<Self, FeedError> {
        let projection = parts.identity.projection.clone();
        let handled = parts.decoders.names();
        if let Some(unknown) = filter.names().and_then(|names| names.iter().find(|name| !handled.contains(*name))) {
            let reason = format!("its filter names `{unknown}`, and no handler takes an event of that name");
            return Err(FeedError::Invalid { projection, reason });
        }
        let (parts, decoders) = parts.without_decoders();
        Ok(Self::of(parts, Arc::new(StoreSource::new(events, filter, decoders)), checkpoints, hold))
    }

    /// Feeds the view that `parts` were taken of from `source`.
    pub(crate) fn of(
        parts: ViewParts,
        source: Arc<dyn Source>,
        checkpoints: Arc<dyn CheckpointStorage>,
        hold: Hold,
    ) -> Self {
        let projection = parts.identity.projection.clone();
        let progress = Arc::new(ProgressRecorder::new(&projection));
        let mut identity = parts.identity;
        identity.handled = source.filter().names().cloned().unwrap_or_default();
        let records = Records {
            identity: identity.clone(),
            checkpoints: Arc::clone(&checkpoints),
            source: Arc::clone(&source),
            router: parts.router,
            on_poison: parts.options.on_poison(),
        };
        let engine = Engine {
            identity,
            source: Arc::clone(&source),
            target: parts.target,
            checkpoints,
            options: parts.options,
            progress: Arc::clone(&progress),
            position: Position::START,
            start: Position::START,
            caught_up: false,
            stored: None,
            claims: true,
            by_batches: Position::START,
            replaying: false,
            broken_off: false,
            begun: false,
            fence: None,
        };
        Self {
            projection,
            source,
            records,
            engine: tokio::sync::Mutex::new(engine),
            shared: Mutex::new(Shared::new()),
            changed: Notify::new(),
            progress,
            hold,
            supervised: false,
        }
    }

    /// Someone starts it again when an error may pass.
    pub(crate) fn supervised(self) -> Self {
        Self { supervised: true, ..self }
    }

    /// From now on this is the owner.
    pub(crate) async fn own(&self, fence: Fence) {
        let mut engine = self.engine.lock().await;
        if engine.fence.as_ref() != Some(&fence) {
            // Another may have owned it in between: only what is stored counts.
            (engine.position, engine.stored) = (Position::START, None);
            engine.fence = Some(fence);
        }
    }

    /// It waits, for the reason that `phase` says.
    pub(crate) fn waits(&self, phase: Phase) {
        self.progress.phase(phase);
    }

    /// How long its position has not moved.
    pub(crate) fn unmoved(&self) -> std::time::Duration {
        self.progress.unmoved()
    }

    pub(crate) fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.watch()
    }

    /// How many events it has taken or passed over.
    pub(crate) fn events(&self) -> u64 {
        let progress = self.progress.watch();
        let progress = progress.borrow();
        progress.events_applied + progress.events_skipped
    }

    /// What holds back the mark of the store it reads.
    pub(crate) async fn held_by(&self) -> Result<Option<String>, StoreError> {
        self.source.held_by().await
    }

    /// Refuses a checkpoint that does not fit (spec: B16, P22), before anything is started.
    pub(crate) async fn check(&self) -> Result<(), FeedError> {
        let stop = CancellationToken::new();
        let mut engine = self.engine.lock().await;
        engine.restore(&stop).await?;
        engine.refuse_earlier()
    }

    /// Waits until the current run is told to end.
    pub(crate) async fn stopped(&self) {
        let stop = self.shared().run.stop.clone();
        stop.cancelled().await;
    }

    pub(super) fn shared(&self) -> MutexGuard<'_, Shared> {
        // Nothing panics while it is held; were it so, the state would still be whole.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

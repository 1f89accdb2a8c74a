//! The state machine behind every feed: not started, catching up, live, stopped, failed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::{Hold, accept::Offer, view::FeedParts};
use crate::{
    FeedError, Filter, Position, Progress,
    engine::{Engine, Source, StoreSource},
    progress::{Phase, ProgressRecorder},
    store::{CheckpointStorage, EventStore, Fence},
};

/// One view being fed. The engine does one thing at a time; what is shared is small and never held over an await.
pub(crate) struct FeedCore {
    pub(super) projection: String,
    pub(super) source: Arc<dyn Source>,
    pub(super) engine: tokio::sync::Mutex<Engine>,
    shared: Mutex<Shared>,
    /// There is room for another offered event, or the state has changed.
    pub(super) room: Notify,
    progress: Arc<ProgressRecorder>,
    pub(super) hold: Hold,
    /// Whether someone starts it again when an error may pass.
    supervised: bool,
}

pub(super) struct Shared {
    pub state: State,
    /// Whether no run may begin.
    pub paused: bool,
    /// Ends the current run.
    pub stop: CancellationToken,
    /// Offered events that are not applied yet, in the order they came.
    pub waiting: Vec<Arc<Offer>>,
}

#[derive(Debug, Clone)]
pub(super) enum State {
    NotStarted,
    CatchingUp,
    Live,
    Stopped,
    Failed(FeedError),
}

impl FeedCore {
    pub(crate) fn new<S: EventStore>(
        parts: FeedParts<S>,
        events: Arc<S>,
        filter: Filter,
        checkpoints: Arc<dyn CheckpointStorage>,
        hold: Hold,
    ) -> Self {
        let progress = Arc::new(ProgressRecorder::new(&parts.identity.projection));
        let projection = parts.identity.projection.clone();
        let source: Arc<dyn Source> = Arc::new(StoreSource::new(events, filter, parts.decoders));
        let engine = Engine {
            identity: parts.identity,
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
            broken_off: false,
            begun: false,
            fence: None,
        };
        Self {
            projection,
            source,
            engine: tokio::sync::Mutex::new(engine),
            shared: Mutex::new(Shared {
                state: State::NotStarted,
                paused: false,
                stop: CancellationToken::new(),
                waiting: Vec::new(),
            }),
            room: Notify::new(),
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
        self.engine.lock().await.fence = Some(fence);
    }

    /// It waits, for the reason that `phase` says.
    pub(crate) fn waits(&self, phase: Phase) {
        self.progress.phase(phase);
    }

    /// It is not running and is not meant to.
    pub(crate) fn rest(&self) {
        let mut shared = self.shared();
        if !matches!(shared.state, State::Failed(_)) || self.progress.watch().borrow().phase == Phase::Retrying {
            self.end(&mut shared, State::Stopped);
        }
    }

    /// How long its position has not moved.
    pub(crate) fn unmoved(&self) -> std::time::Duration {
        self.progress.unmoved()
    }

    pub(crate) fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.watch()
    }

    pub(super) fn shared(&self) -> MutexGuard<'_, Shared> {
        // Nothing panics while it is held; were it so, the state would still be whole.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why it failed, if it did.
    pub(crate) fn failure(&self) -> Option<FeedError> {
        match &self.shared().state {
            State::Failed(cause) => Some(cause.clone()),
            _ => None,
        }
    }

    /// The runtime's task panicked while it drove this feed.
    pub(crate) fn panicked(&self, message: String) {
        let cause = FeedError::Panicked { projection: self.projection.clone(), message };
        tracing::error!(projection = self.projection, error = %cause, "failed");
        self.end(&mut self.shared(), State::Failed(cause));
    }

    /// Refuses a checkpoint that does not fit (spec: B16), before anything is started.
    pub(crate) async fn check(&self) -> Result<(), FeedError> {
        let stop = CancellationToken::new();
        self.engine.lock().await.restore(&stop).await.map(drop)
    }

    /// Waits until the current run is told to end.
    pub(crate) async fn stopped(&self) {
        let stop = self.shared().stop.clone();
        stop.cancelled().await;
    }

    /// Waits until what is being done now is over.
    pub(crate) async fn settled(&self) {
        drop(self.engine.lock().await);
    }

    /// Ends the current run, and lets none begin until [`unpause`](Self::unpause).
    pub(crate) fn pause(&self) {
        self.shared().paused = true;
        self.stop();
    }

    pub(crate) fn unpause(&self) {
        self.shared().paused = false;
    }

    /// Ends a catch-up or the live phase. What is buffered is discarded, nothing of it is recorded (spec: P12).
    pub(crate) fn stop(&self) {
        let mut shared = self.shared();
        shared.stop.cancel();
        if matches!(shared.state, State::Live | State::NotStarted) {
            self.end(&mut shared, State::Stopped);
        }
    }

    /// The current run is over: everyone who waits is told so.
    pub(super) fn end(&self, shared: &mut Shared, state: State) {
        let cause = match &state {
            State::Failed(cause) => cause.clone(),
            _ => FeedError::Stopped { projection: self.projection.clone() },
        };
        for offer in shared.waiting.drain(..) {
            offer.done(Err(cause.clone()));
        }
        self.progress.phase(match &state {
            State::Failed(cause) if self.supervised && cause.may_pass() => Phase::Retrying,
            State::Failed(_) => Phase::Failed,
            _ => Phase::Stopped,
        });
        shared.state = state;
        self.room.notify_waiters();
    }

    /// Ends a run as its result says.
    pub(super) fn settle(&self, engine: &Engine, result: Result<(), FeedError>) -> Result<(), FeedError> {
        let Err(error) = result else { return Ok(()) };
        let stopped = matches!(error, FeedError::Stopped { .. });
        if stopped {
            tracing::info!(projection = self.projection, position = %engine.position, "stopped");
        } else {
            tracing::error!(projection = self.projection, position = %engine.position, error = %chain(&error), "failed");
        }
        let state = if stopped { State::Stopped } else { State::Failed(error.clone()) };
        self.end(&mut self.shared(), state);
        Err(error)
    }
}

/// The error with everything behind it, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

//! What a feed is doing: not started, catching up, live, stopped, failed. Every change is made under one lock, and only
//! by the run it belongs to.

use std::{collections::BTreeSet, sync::Arc};

use tokio_util::sync::CancellationToken;

use super::{core::FeedCore, offer::Offer};
use crate::{FeedError, Position, StoreError, progress::Phase};

pub(super) struct Shared {
    pub state: State,
    /// The current run, or the last one.
    pub run: Run,
    /// Whether no run may begin.
    pub paused: bool,
    /// Whether the current run is stopped because the lease was lost: another process goes on.
    pub steps_down: bool,
    /// Offered events that are not applied yet, in the order they came.
    pub waiting: Vec<Arc<Offer>>,
    /// Where events came too late, and the view was not put right yet.
    pub late: BTreeSet<Position>,
}

#[derive(Debug, Clone)]
pub(super) enum State {
    NotStarted,
    CatchingUp,
    Live,
    Stopped,
    Failed(FeedError),
}

/// One run, from a start until it is stopped or fails.
#[derive(Debug, Clone, Default)]
pub(super) struct Run {
    pub number: u64,
    /// Ends it.
    pub stop: CancellationToken,
}

impl Shared {
    pub(super) fn new() -> Self {
        Self {
            state: State::NotStarted,
            run: Run::default(),
            paused: false,
            steps_down: false,
            waiting: Vec::new(),
            late: BTreeSet::new(),
        }
    }
}

impl FeedCore {
    /// A new run begins, unless there is one that catches up.
    pub(super) fn begin(&self) -> Result<Run, FeedError> {
        let mut shared = self.shared();
        if matches!(shared.state, State::CatchingUp) {
            let reason = "it is being started already".to_owned();
            return Err(FeedError::Invalid { projection: self.projection.clone(), reason });
        }
        if shared.paused {
            return Err(self.stopped_error());
        }
        shared.run.stop.cancel();
        shared.steps_down = false;
        shared.run = Run { number: shared.run.number + 1, stop: CancellationToken::new() };
        shared.state = State::CatchingUp;
        Ok(shared.run.clone())
    }

    /// The live run, if there is one; why it failed, if it did.
    pub(super) fn live(&self) -> Result<Option<Run>, FeedError> {
        let shared = self.shared();
        match &shared.state {
            State::Live => Ok(Some(shared.run.clone())),
            State::Failed(cause) => Err(cause.clone()),
            _ => Ok(None),
        }
    }

    /// The run becomes live, if nothing waits any more; `Err` if it was stopped.
    pub(super) fn become_live(&self, run: &Run) -> Result<bool, FeedError> {
        let mut shared = self.shared();
        if run.stop.is_cancelled() || shared.run.number != run.number {
            return Err(self.stopped_error());
        }
        if !shared.waiting.is_empty() {
            return Ok(false);
        }
        shared.state = State::Live;
        self.progress.phase(Phase::Live);
        self.changed.notify_waiters();
        Ok(true)
    }

    /// Ends `run` as its result says. One that is no longer the current run changes nothing.
    pub(super) fn settle(&self, run: &Run, result: Result<(), FeedError>) -> Result<(), FeedError> {
        let Err(error) = result else { return Ok(()) };
        let mut shared = self.shared();
        if shared.run.number != run.number {
            return Err(error);
        }
        let position = self.progress().borrow().position;
        let state = if matches!(error, FeedError::Stopped { .. }) {
            tracing::info!(projection = self.projection, %position, "stopped");
            State::Stopped
        } else {
            tracing::error!(projection = self.projection, %position, error = %chain(&error), "failed");
            State::Failed(error.clone())
        };
        self.end(&mut shared, state);
        Err(error)
    }

    /// The current run is over: everyone who waits is told so.
    fn end(&self, shared: &mut Shared, state: State) {
        shared.run.stop.cancel();
        let cause = match &state {
            State::Failed(cause) => cause.clone(),
            _ => self.stopped_error(),
        };
        for offer in shared.waiting.drain(..) {
            offer.done(Err(cause.clone()));
        }
        self.progress.phase(match &state {
            State::Failed(cause) if self.supervised && cause.may_pass() => Phase::Retrying,
            State::Failed(_) => Phase::Failed,
            _ if shared.steps_down => Phase::Standby,
            _ => Phase::Stopped,
        });
        shared.state = state;
        self.changed.notify_waiters();
    }

    /// Ends a catch-up or the live phase. What is buffered is discarded, nothing of it is recorded (spec: P12).
    pub(crate) fn stop(&self) {
        let mut shared = self.shared();
        shared.run.stop.cancel();
        if matches!(shared.state, State::Live | State::NotStarted) {
            self.end(&mut shared, State::Stopped);
        }
    }

    /// Ends the current run, since another process may own the view by now.
    pub(crate) fn step_down(&self) {
        self.shared().steps_down = true;
        self.stop();
    }

    /// Ends the current run, and lets none begin until [`unpause`](Self::unpause).
    pub(crate) fn pause(&self) {
        {
            let mut shared = self.shared();
            shared.paused = true;
            shared.steps_down = false;
        }
        self.stop();
    }

    /// Waits until a paused feed does nothing any more, or is to go on.
    pub(crate) async fn paused(&self) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let shared = self.shared();
                if !shared.paused {
                    return;
                }
                if !matches!(shared.state, State::CatchingUp) {
                    break;
                }
            }
            changed.await;
        }
        drop(self.engine.lock().await);
    }

    /// Runs may begin again. Whether there was none, so that one must be begun.
    pub(crate) fn unpause(&self) -> bool {
        let mut shared = self.shared();
        let rests = shared.paused || matches!(shared.state, State::Stopped | State::Failed(_));
        shared.paused = false;
        if rests && !matches!(shared.state, State::CatchingUp) {
            shared.state = State::NotStarted;
            self.progress.phase(Phase::Starting);
        }
        self.changed.notify_waiters();
        rests
    }

    /// It is not running and is not meant to, unless it failed for good.
    pub(crate) fn rest(&self) {
        let mut shared = self.shared();
        shared.steps_down = false;
        if !matches!(&shared.state, State::Failed(cause) if !cause.may_pass()) {
            self.end(&mut shared, State::Stopped);
        }
    }

    /// No run can begin: this failed, and does not pass.
    pub(crate) fn cannot_begin(&self, what: &'static str, source: StoreError) {
        let error = FeedError::Storage { projection: self.projection.clone(), what, source };
        tracing::error!(projection = self.projection, error = %chain(&error), "failed");
        let mut shared = self.shared();
        self.end(&mut shared, State::Failed(error));
    }

    /// Why it failed, if it did.
    pub(crate) fn failure(&self) -> Option<FeedError> {
        match &self.shared().state {
            State::Failed(cause) => Some(cause.clone()),
            _ => None,
        }
    }

    pub(super) fn stopped_error(&self) -> FeedError {
        FeedError::Stopped { projection: self.projection.clone() }
    }
}

/// Ends the run when its future is dropped before it is over.
pub(super) struct Dropped<'a> {
    pub feed: &'a FeedCore,
    pub run: Run,
}

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        let mut shared = self.feed.shared();
        if shared.run.number == self.run.number && matches!(shared.state, State::CatchingUp) {
            self.feed.end(&mut shared, State::Stopped);
        }
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

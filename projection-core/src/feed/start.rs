//! Starting a feed: with its history, or live.

use tokio_util::sync::CancellationToken;

use super::{
    core::{FeedCore, State},
    replay::replay,
};
use crate::{FeedError, Position, engine::Engine, progress::Phase};

impl FeedCore {
    /// Replays what is not applied yet, drains what arrived meanwhile, and is live when it returns.
    pub(crate) async fn catch_up(&self) -> Result<(), FeedError> {
        self.run(From::History).await
    }

    /// Skips the history: goes on from the checkpoint if there is one, else from now (spec: P22).
    pub(crate) async fn go_live(&self) -> Result<(), FeedError> {
        if self.live().is_some() {
            return Ok(());
        }
        self.run(From::Now).await
    }

    /// Applies what has come into the store since. For a live feed; any other is left alone.
    pub(crate) async fn poll(&self) -> Result<(), FeedError> {
        let Some(stop) = self.live() else { return Ok(()) };
        let mut engine = self.engine.lock().await;
        let polled = async {
            let mark = engine.mark(&stop).await?;
            engine.advance(mark, &stop).await
        }
        .await;
        self.settle(&engine, polled)
    }

    fn live(&self) -> Option<CancellationToken> {
        let shared = self.shared();
        matches!(shared.state, State::Live).then(|| shared.stop.clone())
    }

    /// One run from a start to live. Dropping it is a stop.
    async fn run(&self, from: From) -> Result<(), FeedError> {
        let stop = {
            let mut shared = self.shared();
            if matches!(shared.state, State::CatchingUp) {
                let reason = "it is being started already".to_owned();
                return Err(FeedError::Invalid { projection: self.projection.clone(), reason });
            }
            if shared.paused {
                return Err(FeedError::Stopped { projection: self.projection.clone() });
            }
            shared.state = State::CatchingUp;
            shared.stop = CancellationToken::new();
            shared.stop.clone()
        };
        let dropped = Dropped(self);
        let mut engine = self.engine.lock().await;
        let result = match from {
            From::History => self.with_history(&mut engine, &stop).await,
            From::Now => self.without_history(&mut engine, &stop).await,
        };
        let settled = self.settle(&engine, result);
        std::mem::forget(dropped);
        settled
    }

    async fn with_history(&self, engine: &mut Engine, stop: &CancellationToken) -> Result<(), FeedError> {
        engine.progress.phase(Phase::Replaying);
        // Before the history is read; when it cannot be had, nothing starts (spec: P23).
        let mark = engine.mark(stop).await?;
        engine.restore(stop).await?;
        engine.progress.begin(Phase::Replaying, engine.position);
        if engine.caught_up {
            return self.drain(engine, stop).await;
        }
        if engine.start > Position::START {
            return Err(FeedError::Rebuild { projection: self.projection.clone(), start: engine.start });
        }
        replay(engine, mark, stop).await?;
        self.drain(engine, stop).await
    }

    async fn without_history(&self, engine: &mut Engine, stop: &CancellationToken) -> Result<(), FeedError> {
        let mark = engine.mark(stop).await?;
        // A replay that was begun in this process and has no checkpoint yet goes on from the beginning (spec: B21).
        if engine.restore(stop).await?.is_none() && !engine.begun {
            engine.position = mark;
            engine.start = mark;
            engine.store(engine.checkpoint(mark), stop).await?;
        }
        self.drain(engine, stop).await
    }

    /// Applies what arrived during the replay, offered or stored, until nothing is left; then the feed is live.
    async fn drain(&self, engine: &mut Engine, stop: &CancellationToken) -> Result<(), FeedError> {
        engine.progress.begin(Phase::Draining, engine.position);
        loop {
            let mark = engine.mark(stop).await?;
            engine.advance(mark, stop).await?;
            self.apply_waiting(engine, stop).await?;
            if stop.is_cancelled() {
                return Err(engine.stopped());
            }
            let mut shared = self.shared();
            if shared.waiting.is_empty() {
                shared.state = State::Live;
                self.room.notify_waiters();
                break;
            }
        }
        engine.progress.phase(Phase::Live);
        tracing::info!(projection = self.projection, position = %engine.position, "live");
        Ok(())
    }
}

/// Where a run begins, when there is no checkpoint.
enum From {
    History,
    Now,
}

/// Ends the run when its future is dropped before it is over.
struct Dropped<'a>(&'a FeedCore);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        let mut shared = self.0.shared();
        shared.stop.cancel();
        self.0.end(&mut shared, State::Stopped);
    }
}

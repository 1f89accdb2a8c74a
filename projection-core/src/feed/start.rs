//! Starting a feed, with its history or live, and keeping a live one up to date.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::{
    core::FeedCore,
    replay::replay,
    state::{Dropped, Run},
};
use crate::{
    FeedError, Position,
    engine::{Engine, message_of},
    progress::Phase,
};

impl FeedCore {
    /// Replays what is not applied yet, drains what arrived meanwhile, and is live when it returns.
    pub(crate) async fn catch_up(&self) -> Result<(), FeedError> {
        self.run(Beginning::History).await
    }

    /// Skips the history: goes on from the checkpoint if there is one, else from now (spec: P22).
    pub(crate) async fn go_live(&self) -> Result<(), FeedError> {
        if let Ok(Some(_)) = self.live() {
            return Ok(());
        }
        self.run(Beginning::Now).await
    }

    /// Applies what has come into the store since. A feed that is not live is left alone; of a failed one, the cause.
    pub(crate) async fn poll(&self) -> Result<(), FeedError> {
        let Some(run) = self.live()? else { return Ok(()) };
        let mut engine = self.engine.lock().await;
        let polled = self.contained(async {
            let mark = engine.mark(&run.stop).await?;
            engine.advance(mark, &run.stop).await?;
            self.refold_late(&mut engine, &run.stop).await
        });
        let polled = polled.await;
        self.settle(&run, polled)
    }

    /// One run from a start to live. Dropping it is a stop.
    async fn run(&self, beginning: Beginning) -> Result<(), FeedError> {
        let run = self.begin()?;
        let dropped = Dropped { feed: self, run };
        let run = &dropped.run;
        let mut engine = self.engine.lock().await;
        let result = self.contained(async {
            match beginning {
                Beginning::History => self.with_history(&mut engine, run).await,
                Beginning::Now => self.without_history(&mut engine, run).await,
            }
        });
        let result = result.await;
        self.settle(run, result)
    }

    /// A panic of a hook, a repository or a store is a failure of this feed.
    pub(super) async fn contained<T>(
        &self,
        steps: impl Future<Output = Result<T, FeedError>>,
    ) -> Result<T, FeedError> {
        AssertUnwindSafe(steps).catch_unwind().await.unwrap_or_else(|panic| {
            let message = message_of(panic.as_ref());
            Err(FeedError::Panicked { projection: self.projection.clone(), message })
        })
    }

    async fn with_history(&self, engine: &mut Engine, run: &Run) -> Result<(), FeedError> {
        let stop = &run.stop;
        engine.begun = true;
        // Before the history is read; when it cannot be had, nothing starts (spec: P23).
        let mark = engine.mark(stop).await?;
        let found = engine.restore(stop).await?;
        engine.refuse_earlier()?;
        if found.is_none() && engine.position == Position::START {
            engine.begin(mark, stop).await?;
        }
        engine.progress.begin(Phase::Replaying, engine.position);
        if engine.caught_up {
            return self.drain(engine, run).await;
        }
        replay(engine, mark, stop).await?;
        self.drain(engine, run).await
    }

    async fn without_history(&self, engine: &mut Engine, run: &Run) -> Result<(), FeedError> {
        let stop: &CancellationToken = &run.stop;
        let mark = engine.mark(stop).await?;
        // A replay that was begun in this process and has no checkpoint yet goes on from the beginning (spec: B21).
        if engine.restore(stop).await?.is_none() && !engine.begun {
            engine.begin_after(mark, stop).await?;
        }
        self.drain(engine, run).await
    }

    /// Applies what arrived during the replay, offered or stored, until nothing is left; then the feed is live.
    async fn drain(&self, engine: &mut Engine, run: &Run) -> Result<(), FeedError> {
        engine.progress.begin(Phase::Draining, engine.position);
        loop {
            let mark = engine.mark(&run.stop).await?;
            engine.advance(mark, &run.stop).await?;
            self.apply_waiting(engine, &run.stop).await?;
            if self.become_live(run)? {
                tracing::info!(projection = self.projection, position = %engine.position, "live");
                return Ok(());
            }
        }
    }
}

/// Where a run begins, when there is no checkpoint.
enum Beginning {
    History,
    Now,
}

//! The task behind each projection: catches up, stays live, stops and goes on as it is told.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures::FutureExt;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::ProjectionStatus;
use crate::{FeedError, Phase, engine::message_of, feed::FeedCore};

/// A projection, as the runtime holds it.
pub(super) struct Worker {
    pub name: String,
    pub version: u32,
    pub feed: Arc<FeedCore>,
    wanted: watch::Sender<Wanted>,
}

/// What operations want a projection to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Run; a larger number is a newer call.
    Run(u64),
    Pause,
}

impl Worker {
    pub(super) fn new(name: String, version: u32, feed: Arc<FeedCore>) -> Self {
        Self { name, version, feed, wanted: watch::Sender::new(Wanted::Run(0)) }
    }

    /// The loop of this projection; ends at shutdown.
    pub(super) fn work(
        &self,
        poll: Duration,
        shutdown: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static {
        run(Arc::clone(&self.feed), self.wanted.subscribe(), poll, shutdown)
    }

    pub(super) fn status(&self) -> ProjectionStatus {
        ProjectionStatus {
            name: self.name.clone(),
            version: self.version,
            progress: self.feed.progress().borrow().clone(),
            failure: self.feed.failure(),
        }
    }

    pub(super) async fn pause(&self) {
        self.wanted.send_replace(Wanted::Pause);
        self.feed.pause();
        let at_rest = |phase| matches!(phase, Phase::Stopped | Phase::Failed);
        // The sender lives in the feed, which `self` holds.
        drop(self.feed.progress().wait_for(|progress| at_rest(progress.phase)).await);
        self.feed.settled().await;
    }

    pub(super) fn resume(&self) {
        self.feed.unpause();
        self.wanted.send_modify(|wanted| {
            let runs = match wanted {
                Wanted::Run(runs) => *runs,
                Wanted::Pause => 0,
            };
            *wanted = Wanted::Run(runs + 1);
        });
    }

    pub(super) async fn caught_up(&self) -> Result<(), FeedError> {
        let mut progress = self.feed.progress();
        let ended = |phase| matches!(phase, Phase::Live | Phase::Stopped | Phase::Failed);
        let phase = progress.wait_for(|progress| ended(progress.phase)).await.map(|progress| progress.phase);
        match phase {
            Ok(Phase::Live) => Ok(()),
            _ => Err(self.feed.failure().unwrap_or(FeedError::Stopped { projection: self.name.clone() })),
        }
    }
}

async fn run(
    feed: Arc<FeedCore>,
    mut wanted: watch::Receiver<Wanted>,
    poll: Duration,
    shutdown: CancellationToken,
) {
    loop {
        let now = *wanted.borrow_and_update();
        if now != Wanted::Pause {
            let lived = AssertUnwindSafe(live(&feed, poll, &shutdown)).catch_unwind().await;
            if let Err(panic) = lived {
                feed.panicked(message_of(panic.as_ref()));
            }
        }
        // Stopped or failed: until it is wanted again.
        tokio::select! {
            biased;
            () = shutdown.cancelled() => return,
            changed = wanted.changed() => if changed.is_err() { return },
        }
    }
}

/// Catches up, then applies what comes, until it is stopped or fails.
async fn live(feed: &FeedCore, poll: Duration, shutdown: &CancellationToken) {
    // What went wrong is in the feed's state, and logged there.
    let mut going = !shutdown.is_cancelled() && feed.catch_up().await.is_ok();
    while going {
        tokio::select! {
            biased;
            () = feed.stopped() => return,
            () = tokio::time::sleep(poll) => going = feed.poll().await.is_ok() && feed.failure().is_none(),
        }
    }
}

//! A projection as the runtime holds it: what it is told to do, and how it is.

use std::{sync::Arc, time::Duration};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{ProjectionStatus, health::Health, lease::Lease, supervise::Supervisor, wake::Heard};
use crate::{FeedError, Phase, feed::FeedCore, store::ViewVersions};

/// A projection and the means to steer it.
pub(super) struct Worker {
    pub name: String,
    pub version: u32,
    pub feed: Arc<FeedCore>,
    /// Whether one process at a time may feed it.
    pub shared: bool,
    /// The versions of its view, where there may be several.
    pub versions: Option<Arc<dyn ViewVersions>>,
    wanted: watch::Sender<Wanted>,
}

/// What operations want a projection to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Run; a larger number is a newer call.
    Run(u64),
    Pause,
}

impl Worker {
    pub(super) fn new(name: String, version: u32, feed: Arc<FeedCore>, shared: bool) -> Self {
        Self { name, version, feed, shared, versions: None, wanted: watch::Sender::new(Wanted::Run(0)) }
    }

    pub(super) fn with_versions(self, versions: Option<Arc<dyn ViewVersions>>) -> Self {
        Self { versions, ..self }
    }

    /// The loop of this projection; ends at shutdown.
    pub(super) fn work(
        &self,
        lease: Option<Lease>,
        poll: Duration,
        heard: watch::Receiver<Heard>,
        shutdown: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static {
        let feed = Arc::clone(&self.feed);
        let (wanted, lease) = (self.wanted.subscribe(), lease.map(Arc::new));
        Supervisor { feed, wanted, lease, poll, heard, shutdown }.run()
    }

    pub(super) fn status(&self) -> ProjectionStatus {
        let progress = self.feed.progress().borrow().clone();
        ProjectionStatus {
            name: self.name.clone(),
            version: self.version,
            health: Health::of(&progress, self.feed.unmoved()),
            failure: self.feed.failure(),
            progress,
        }
    }

    pub(super) async fn pause(&self) {
        self.wanted.send_replace(Wanted::Pause);
        self.feed.pause();
        self.feed.paused().await;
    }

    pub(super) fn resume(&self) {
        if !self.feed.unpause() {
            return;
        }
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

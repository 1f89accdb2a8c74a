//! The task behind each projection: owns it, catches up, stays live, starts again what may pass, stops as it is told.

use std::{sync::Arc, time::Duration};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::{
    lease::{Attempt, Held, Kept, Lease},
    pace::Pace,
    wake::Heard,
    worker::Wanted,
};
use crate::{Phase, Position, Retries, RetryStrategy, StoreError, feed::FeedCore};

pub(super) struct Supervisor {
    pub feed: Arc<FeedCore>,
    pub wanted: watch::Receiver<Wanted>,
    pub lease: Option<Arc<Lease>>,
    pub poll: Duration,
    pub heard: watch::Receiver<Heard>,
    pub shutdown: CancellationToken,
}

/// The delays before a start again after an outage.
fn delays() -> RetryStrategy {
    RetryStrategy::exponential(Duration::from_millis(100), Duration::from_secs(5)).when(|_| true)
}

impl Supervisor {
    pub(super) async fn run(mut self) {
        let (mut outage, mut reached): (Retries, Position) = (delays().start(), Position::START);
        while !self.shutdown.is_cancelled() {
            if *self.wanted.borrow_and_update() == Wanted::Pause {
                self.feed.rest();
                if !self.told(None).await {
                    return;
                }
                continue;
            }
            let held = match self.own().await {
                Ok(held) => held,
                Err(NotOwned::Told) => continue,
                Err(NotOwned::Failed) if self.told(None).await => continue,
                Err(NotOwned::Failed) => return,
            };
            self.live_as_owner(held).await;
            match self.feed.failure() {
                Some(cause) if cause.may_pass() => {
                    let position = self.feed.progress().borrow().position;
                    if position > reached {
                        (outage, reached) = (delays().start(), position);
                    }
                    let delay = outage.after(&StoreError::transient("an outage")).unwrap_or_default();
                    tracing::info!(?delay, "starting again");
                    self.told(Some(delay)).await;
                }
                // Stopped or failed for good: until it is wanted again.
                _ if self.stays_down() && !self.told(None).await => return,
                _ => {}
            }
        }
    }

    /// Whether the run ended for good; not so if only the lease was lost.
    fn stays_down(&self) -> bool {
        self.feed.failure().is_some() || self.lease.is_none()
    }

    /// Waits until it is told something new, or `delay` is over; whether to go on.
    async fn told(&mut self, delay: Option<Duration>) -> bool {
        let over = async {
            match delay {
                Some(delay) => tokio::time::sleep(delay).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.shutdown.cancelled() => false,
            changed = self.wanted.changed() => changed.is_ok(),
            () = over => true,
        }
    }

    /// Stands by until the lease is held. Without leases this process is the only owner.
    async fn own(&mut self) -> Result<Option<Held>, NotOwned> {
        let Some(lease) = self.lease.clone() else { return Ok(None) };
        let interval = lease.interval();
        loop {
            match lease.take().await {
                Attempt::Held(held) => {
                    tracing::info!(epoch = held.fence.epoch, "owner");
                    self.feed.own(held.fence.clone()).await;
                    return Ok(Some(held));
                }
                Attempt::Taken(other) => {
                    tracing::debug!(owner = other.owner, epoch = other.epoch, "standing by");
                    self.feed.waits(Phase::Standby);
                }
                Attempt::Failed(error) if error.may_pass() => {
                    self.feed.waits(Phase::Retrying);
                }
                Attempt::Failed(error) => {
                    self.feed.cannot_begin("its lease cannot be asked for", error);
                    return Err(NotOwned::Failed);
                }
            }
            tokio::select! {
                biased;
                () = self.shutdown.cancelled() => return Err(NotOwned::Told),
                _ = self.wanted.changed() => {
                    self.wanted.mark_changed();
                    return Err(NotOwned::Told);
                }
                () = tokio::time::sleep(interval) => {}
            }
        }
    }

    /// Runs for as long as the lease is held.
    async fn live_as_owner(&self, held: Option<Held>) {
        let pace = Pace::new(self.poll, self.heard.clone());
        let lived = live(&self.feed, pace, &self.shutdown);
        let (Some(lease), Some(held)) = (&self.lease, held) else { return lived.await };
        let (fence, ended) = (held.fence.clone(), CancellationToken::new());
        // In a task of its own: a replay that is busy must not keep it from being renewed.
        let keeping = tokio::spawn({
            let (lease, ended, feed) = (Arc::clone(lease), ended.clone(), Arc::clone(&self.feed));
            async move {
                let kept = lease.keep(held, &ended).await;
                if kept != Kept::ToTheEnd {
                    feed.step_down();
                }
                if kept == Kept::RanOut {
                    feed.waits(Phase::Retrying);
                }
                kept
            }
            .in_current_span()
        });
        lived.await;
        ended.cancel();
        let Ok(kept) = keeping.await else { return };
        if kept == Kept::RanOut && self.feed.failure().is_none() {
            // Not a stand-by: nobody else is known to own it.
            self.feed.waits(Phase::Retrying);
        }
        lease.give_up(&fence).await;
    }
}

/// Why the lease is not held.
enum NotOwned {
    /// Something else is wanted now.
    Told,
    /// It cannot be, until somebody has mended the cause.
    Failed,
}

/// Catches up, then applies what comes, until it is stopped or fails.
async fn live(feed: &FeedCore, mut pace: Pace, shutdown: &CancellationToken) {
    // What went wrong is in the feed's state, and logged there.
    pace.looks();
    let mut going = !shutdown.is_cancelled() && feed.catch_up().await.is_ok();
    while going {
        tokio::select! {
            biased;
            () = feed.stopped() => return,
            () = pace.next() => {}
        }
        pace.looks();
        let before = feed.events();
        going = feed.poll().await.is_ok() && feed.failure().is_none();
        pace.found(feed.events() - before);
    }
}

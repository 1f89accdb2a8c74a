//! Owning a projection: taking the lease, keeping it while the projection runs, noticing its loss.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use crate::{
    StoreError,
    store::{Fence, LeaseAnswer, LeaseRequest, LeaseStorage, Ownership},
};

/// Asks for the lease of one projection, again and again.
pub(super) struct Lease {
    storage: Arc<dyn LeaseStorage>,
    request: LeaseRequest,
}

/// What an attempt to own gave.
pub(super) enum Attempt {
    Held(Held),
    Taken(Ownership),
    /// The store could not be asked.
    Failed(StoreError),
}

/// A lease that is held, until when at the earliest it is lost.
pub(super) struct Held {
    pub fence: Fence,
    until: Instant,
}

/// How the keeping of a lease ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kept {
    ToTheEnd,
    /// Another process has it.
    Taken,
    /// It could not be renewed in time.
    RanOut,
}

impl Lease {
    pub(super) fn new(storage: Arc<dyn LeaseStorage>, request: LeaseRequest) -> Self {
        Self { storage, request }
    }

    /// How often a lease is renewed, and how often a stand-by asks whether it is free.
    pub(super) fn interval(&self) -> Duration {
        self.request.ttl / 3
    }

    pub(super) async fn take(&self) -> Attempt {
        // Counted from before the question: the database's clock started the lease later than that.
        let asked = Instant::now();
        match self.storage.acquire(&self.request).await {
            Ok(LeaseAnswer::Held(fence)) => Attempt::Held(Held { fence, until: asked + self.request.ttl }),
            Ok(LeaseAnswer::Taken(other)) => Attempt::Taken(other),
            Err(error) => {
                tracing::warn!(%error, "the lease cannot be asked for");
                Attempt::Failed(error)
            }
        }
    }

    /// Renews the lease until it is lost, or `stop` comes.
    pub(super) async fn keep(&self, mut held: Held, stop: &CancellationToken) -> Kept {
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return Kept::ToTheEnd,
                () = tokio::time::sleep(self.interval().min(held.until.saturating_duration_since(Instant::now()))) => {}
            }
            // A renewal that hangs must not outlast the lease.
            let renewed = tokio::time::timeout_at(held.until.into(), self.take()).await;
            match renewed {
                Ok(Attempt::Held(again)) if again.fence == held.fence => held = again,
                Ok(Attempt::Failed(_)) if Instant::now() < held.until => {}
                Ok(Attempt::Held(_) | Attempt::Failed(_)) | Err(_) => {
                    tracing::warn!(epoch = held.fence.epoch, "the lease has run out");
                    return Kept::RanOut;
                }
                Ok(Attempt::Taken(other)) => {
                    tracing::warn!(
                        owner = other.owner,
                        epoch = other.epoch,
                        "another process has taken the projection over"
                    );
                    return Kept::Taken;
                }
            }
        }
    }

    pub(super) async fn give_up(&self, fence: &Fence) {
        if let Err(error) = self.storage.release(&self.request.projection, fence).await {
            tracing::warn!(%error, "the lease cannot be given up, and ends by itself");
        }
    }
}

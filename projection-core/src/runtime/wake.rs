//! One listener for all projections: what the event store tells of appends wakes them. It only wakes; what is applied is
//! read by position, so that a listener which breaks costs time, not events.

use std::{sync::Arc, time::Duration};

use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

use super::pace::{Crowd, GATHER};
use crate::{
    Retries, RetryStrategy, StoreError,
    feed::FeedCore,
    store::{EventStore, WakeUp},
};

/// What was heard.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Heard {
    /// How often something may have been appended.
    times: u64,
    /// Whether nothing goes unheard at present.
    pub all: bool,
}

/// Listens until shutdown.
pub(super) async fn listen<S: EventStore>(
    events: Arc<S>,
    heard: watch::Sender<Heard>,
    feeds: Vec<Arc<FeedCore>>,
    shutdown: CancellationToken,
) {
    let listening = async {
        let mut broken = delays().start();
        loop {
            match events.wake_up().await {
                // Nothing tells: the projections ask.
                Ok(None) => return,
                Ok(Some(mut wake_up)) => {
                    let error = hear(wake_up.as_mut(), &heard, &feeds, &mut broken).await;
                    tracing::info!(%error, "the listener for new events broke, and is opened again");
                }
                Err(error) => tracing::info!(%error, "no listener for new events can be had: the store is polled"),
            }
            heard.send_modify(|heard| heard.all = false);
            tokio::time::sleep(broken.after(&StoreError::transient("broken")).unwrap_or_default()).await;
        }
    };
    shutdown.run_until_cancelled(listening).await;
}

/// Hears until it breaks. Among many events it does not listen all the time, since the projections look at intervals then.
async fn hear(
    wake_up: &mut dyn WakeUp,
    heard: &watch::Sender<Heard>,
    feeds: &[Arc<FeedCore>],
    broken: &mut Retries,
) -> StoreError {
    // What was appended before it was opened is not told: look once.
    let applied = || feeds.iter().map(|feed| feed.events()).max().unwrap_or_default();
    let (mut crowd, mut before) = (Crowd::none(Instant::now()), applied());
    loop {
        heard.send_modify(|heard| (heard.times, heard.all) = (heard.times + 1, wake_up.sees_all()));
        let woken = wake_up.woken().await;
        let late = wake_up.late();
        if !late.is_empty() {
            feeds.iter().for_each(|feed| feed.late(&late));
        }
        if let Err(error) = woken {
            return error;
        }
        *broken = delays().start();
        let now = applied();
        crowd.found(now.saturating_sub(std::mem::replace(&mut before, now)), Instant::now());
        if crowd.is_there() {
            tokio::time::sleep(GATHER).await;
        }
    }
}

fn delays() -> RetryStrategy {
    RetryStrategy::exponential(Duration::from_millis(100), Duration::from_secs(10)).when(|_| true)
}

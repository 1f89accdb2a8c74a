//! When a live projection looks for new events: when it is woken, else at intervals, and under load not too often.

use std::time::Duration;

use tokio::{sync::watch, time::Instant};

use super::wake::Heard;

/// When to look next.
pub(super) struct Pace {
    interval: Duration,
    heard: watch::Receiver<Heard>,
    looked: Instant,
    crowd: Crowd,
}

/// So many events within [`GATHER`] are a crowd.
const CROWD: u64 = 10;

/// In a crowd, looks are so far apart: events that pile up meanwhile share the round trips.
pub(super) const GATHER: Duration = Duration::from_millis(50);

/// Whether events come so fast that it is better to let them pile up.
pub(super) struct Crowd {
    /// When counting began, and how many events were found since.
    counted: (Instant, u64),
}

impl Crowd {
    pub(super) fn none(now: Instant) -> Self {
        Self { counted: (now, 0) }
    }

    /// So many events have come by now.
    pub(super) fn found(&mut self, events: u64, now: Instant) {
        if now - self.counted.0 >= GATHER {
            self.counted = (now, 0);
        }
        self.counted.1 += events;
    }

    pub(super) fn is_there(&self) -> bool {
        self.counted.1 >= CROWD
    }
}

/// Where every append is heard, the store is polled so many times as seldom.
const HEARING: u32 = 20;

impl Pace {
    pub(super) fn new(interval: Duration, heard: watch::Receiver<Heard>) -> Self {
        let now = Instant::now();
        Self { interval, heard, looked: now, crowd: Crowd::none(now) }
    }

    /// A look begins.
    pub(super) fn looks(&mut self) {
        self.looked = Instant::now();
        self.heard.mark_unchanged();
    }

    /// The look found so many events.
    pub(super) fn found(&mut self, events: u64) {
        self.crowd.found(events, self.looked);
    }

    /// Waits until it is time to look.
    pub(super) async fn next(&mut self) {
        if self.crowd.is_there() {
            // There is something as good as surely: it is not waited for. A look that finds nothing ends that.
            return tokio::time::sleep_until(self.looked + GATHER).await;
        }
        let interval = if self.heard.borrow().all { self.interval.saturating_mul(HEARING) } else { self.interval };
        let woken = async {
            if self.heard.changed().await.is_err() {
                // Nothing tells.
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = woken => {}
            () = tokio::time::sleep_until(self.looked + interval) => {}
        }
    }
}

//! Reading ahead: pages are read and decoded by a task of their own while earlier ones are folded and flushed.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::{
    decode::DecodedPage,
    panics::message_of,
    source::Source,
    waiting::{GaveUp, retried},
};
use crate::{RetryStrategy, StoreError, store::Window};

/// How many events are read at once. A store may return fewer, to bound a page's bytes.
pub(crate) const PAGE_EVENTS: usize = 5_000;

/// How many decoded pages wait for the fold: this bounds what is held in memory (spec: B2).
const PAGES_AHEAD: usize = 1;

/// The pages of a window, in order. Dropping it ends the reading.
pub(crate) struct Pages {
    pages: mpsc::Receiver<Result<DecodedPage, GaveUp>>,
    reading: AbortOnDropHandle<()>,
}

impl Pages {
    /// Starts to read `window`.
    pub(crate) fn of(
        source: Arc<dyn Source>,
        window: Window,
        strategy: RetryStrategy,
        stop: CancellationToken,
    ) -> Self {
        let (sender, pages) = mpsc::channel(PAGES_AHEAD);
        let reading = tokio::spawn(read(source, window, strategy, stop, sender));
        Self { pages, reading: AbortOnDropHandle::new(reading) }
    }

    /// The next page; `None` after the one that covers the window's end.
    pub(crate) async fn next(&mut self) -> Option<Result<DecodedPage, GaveUp>> {
        if let Some(page) = self.pages.recv().await {
            return Some(page);
        }
        // The reader is gone: at the end of the window, or by a panic of the store.
        match (&mut self.reading).await {
            Err(error) if error.is_panic() => {
                let message = message_of(error.into_panic().as_ref());
                Some(Err(GaveUp::Failed {
                    source: StoreError::permanent(format!("the event store {message}")),
                    tries: 1,
                }))
            }
            _ => None,
        }
    }
}

async fn read(
    source: Arc<dyn Source>,
    window: Window,
    strategy: RetryStrategy,
    stop: CancellationToken,
    sender: mpsc::Sender<Result<DecodedPage, GaveUp>>,
) {
    let mut after = window.after;
    while after < window.up_to {
        let rest = Window { after, up_to: window.up_to };
        let page = retried(&strategy, &stop, || source.read(rest, PAGE_EVENTS)).await;
        let page = page.and_then(|page| checked(page, rest));
        let failed = page.is_err();
        if let Ok(page) = &page {
            after = page.covers;
        }
        if sender.send(page).await.is_err() || failed {
            return;
        }
    }
}

/// A page that is out of order, or does not move on, would lose events or read for ever.
fn checked(page: DecodedPage, window: Window) -> Result<DecodedPage, GaveUp> {
    let mut last = window.after;
    for event in &page.events {
        if event.meta.position() <= last {
            return Err(broken(&format!("position {} after position {last}", event.meta.position())));
        }
        last = event.meta.position();
    }
    if page.covers < last || page.covers <= window.after || page.covers > window.up_to {
        return Err(broken(&format!(
            "a page that covers position {} for the window from {} to {}, whose last event is at {last}",
            page.covers, window.after, window.up_to,
        )));
    }
    Ok(page)
}

fn broken(what: &str) -> GaveUp {
    GaveUp::Failed { source: StoreError::permanent(format!("the event store returned {what}")), tries: 1 }
}

//! Reading ahead: pages are read and decoded by a task of their own while earlier ones are folded and flushed.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use tracing::Instrument;

use super::{
    decode::DecodedPage,
    panics::message_of,
    source::Source,
    waiting::{GaveUp, retried},
};
use crate::{RetryStrategy, StoreError, store::Window};

/// How far is read ahead: this bounds what is held in memory (spec: B2).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ahead {
    /// How many events are read at once. A store may return fewer, to bound a page's bytes.
    events: usize,
    /// How many decoded pages wait for the fold.
    pages: usize,
}

impl Ahead {
    /// For batches of a fixed size.
    pub(crate) const NEAR: Self = Self { events: 2_000, pages: 1 };
    /// For a replay that has memory to use.
    pub(crate) const FAR: Self = Self { events: 10_000, pages: 2 };
}

/// The pages of a window, in order, up to the one that covers its end. Dropping it ends the reading.
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
        ahead: Ahead,
    ) -> Self {
        let (sender, pages) = mpsc::channel(ahead.pages);
        let reading = tokio::spawn(read(source, window, strategy, stop, (sender, ahead.events)).in_current_span());
        Self { pages, reading: AbortOnDropHandle::new(reading) }
    }

    /// The next page. A stop ends the wait for it.
    pub(crate) async fn next(&mut self, stop: &CancellationToken) -> Result<DecodedPage, GaveUp> {
        let page = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(GaveUp::Stopped),
            page = self.pages.recv() => page,
        };
        if let Some(page) = page {
            return page;
        }
        // The reader is gone before the end of its window: by a panic of the store, or with the whole runtime.
        match (&mut self.reading).await {
            Err(error) if error.is_panic() => {
                let message = message_of(error.into_panic().as_ref());
                Err(broken(&format!("nothing: it {message}")))
            }
            _ => Err(GaveUp::Stopped),
        }
    }
}

async fn read(
    source: Arc<dyn Source>,
    window: Window,
    strategy: RetryStrategy,
    stop: CancellationToken,
    (sender, events): (mpsc::Sender<Result<DecodedPage, GaveUp>>, usize),
) {
    let mut after = window.after;
    while after < window.up_to {
        let rest = Window { after, up_to: window.up_to };
        let page = retried(&strategy, &stop, || source.read(rest, events)).await;
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

//! An offered event on its way, and what became of it.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::core::FeedCore;
use crate::{FeedError, engine::DecodedEvent};

/// What became of an offered event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Accepted {
    /// The batch that holds it is written, or recorded that it is passed over; or that was so before.
    Applied,
    /// A replay is under way: it is applied after the history, before the feed is live. Should the feed stop or fail
    /// first, it is discarded, and must be offered again.
    Held,
    /// No handler takes it, the feed's filter does not pass it, or it stands before where the view begins.
    Irrelevant,
}

/// An offered event, and who waits for it.
pub(super) struct Offer {
    pub event: Arc<DecodedEvent>,
    done: Mutex<Option<oneshot::Sender<Result<Accepted, FeedError>>>>,
}

impl Offer {
    pub(super) fn new(event: Arc<DecodedEvent>, done: oneshot::Sender<Result<Accepted, FeedError>>) -> Self {
        Self { event, done: Mutex::new(Some(done)) }
    }

    pub(super) fn done(&self, result: Result<Accepted, FeedError>) {
        let sender = self.done.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(sender) = sender {
            // Whoever offered it may have gone.
            drop(sender.send(result));
        }
    }
}

/// Takes an offer back when nobody waits for it any more, so that those who gave up do not fill the list.
pub(super) struct Withdrawn<'a> {
    pub feed: &'a FeedCore,
    pub offer: Arc<Offer>,
}

impl Drop for Withdrawn<'_> {
    fn drop(&mut self) {
        self.feed.shared().waiting.retain(|offer| !Arc::ptr_eq(offer, &self.offer));
        self.feed.changed.notify_waiters();
    }
}

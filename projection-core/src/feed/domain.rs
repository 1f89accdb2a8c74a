//! A feed that an application offers its own events to.

use std::{fmt, sync::Arc};

use serde::Serialize;
use tokio::sync::watch;

use super::{Accepted, CatchupProjectionFeed, Hold, IntoFeed, Offered, OfferedEvent};
use crate::{
    Event, FeedError, Filter, Progress,
    store::{CheckpointStorage, EventStore},
};

/// Feeds one view with the application's own events, beside its event store: the history is replayed from the store,
/// and what the application offers is typed.
///
/// Unlike [`CatchupProjectionFeed`], whose offered events are JSON with a name, it takes the event structs themselves.
pub struct DomainEventFeed {
    feed: CatchupProjectionFeed,
}

impl DomainEventFeed {
    /// Feeds `view`; `hold` says how many offered events are held during a replay, and what then. No I/O.
    ///
    /// # Errors
    ///
    /// When the view handles no event, or two of its event types share a name.
    pub fn new<S: EventStore>(
        view: impl IntoFeed,
        filter: Filter,
        events: Arc<S>,
        checkpoints: Arc<dyn CheckpointStorage>,
        hold: Hold,
    ) -> Result<Self, FeedError> {
        let feed = CatchupProjectionFeed::with_hold(view, filter, events, checkpoints, hold)?;
        Ok(Self { feed })
    }

    /// Offers an event; see [`CatchupProjectionFeed::accept`].
    ///
    /// # Errors
    ///
    /// When it cannot be written as JSON, and those of [`CatchupProjectionFeed::accept`].
    pub async fn accept<E: Event + Serialize>(&self, event: &E, offered: Offered) -> Result<Accepted, FeedError> {
        let projection = || self.progress().borrow().projection.to_string();
        let event = OfferedEvent::of(event, offered).map_err(|source| FeedError::Storage {
            projection: projection(),
            what: "an offered event cannot be written as JSON",
            source,
        })?;
        self.feed.accept(event).await
    }

    /// See [`CatchupProjectionFeed::catch_up`].
    ///
    /// # Errors
    ///
    /// Those of [`CatchupProjectionFeed::catch_up`].
    pub async fn catch_up(&self) -> Result<(), FeedError> {
        self.feed.catch_up().await
    }

    /// See [`CatchupProjectionFeed::go_live`].
    ///
    /// # Errors
    ///
    /// Those of [`CatchupProjectionFeed::go_live`].
    pub async fn go_live(&self) -> Result<(), FeedError> {
        self.feed.go_live().await
    }

    /// See [`CatchupProjectionFeed::poll`].
    ///
    /// # Errors
    ///
    /// Those of [`CatchupProjectionFeed::poll`].
    pub async fn poll(&self) -> Result<(), FeedError> {
        self.feed.poll().await
    }

    /// See [`CatchupProjectionFeed::stop`].
    pub fn stop(&self) {
        self.feed.stop();
    }

    /// How far it is, as a stream of values.
    #[must_use]
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.feed.progress()
    }

    /// Why it failed, if it did.
    #[must_use]
    pub fn failure(&self) -> Option<FeedError> {
        self.feed.failure()
    }
}

impl fmt::Debug for DomainEventFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DomainEventFeed").field("feed", &self.feed).finish()
    }
}

//! The feed of a view from an event store.

use std::{fmt, sync::Arc};

use tokio::sync::watch;

use super::{Accepted, FeedCore, Hold, IntoFeed, OfferedEvent};
use crate::{
    FeedError, Filter, Progress,
    store::{CheckpointStorage, EventStore},
};

/// Feeds one view from an event store: replays its history in batches, then applies what comes.
///
/// Unlike a [`ProjectionRuntime`](crate::ProjectionRuntime) it has no task of its own: it works while
/// [`catch_up`](Self::catch_up), [`poll`](Self::poll) or [`accept`](Self::accept) is awaited.
///
/// ```
/// use std::sync::Arc;
/// use projection_core::{Event, Filter, Projection, ViewStore, feed::{CatchupProjectionFeed, ProjectionView}};
/// use projection_core::{memory::{InMemoryEventStore, InMemoryViews}, store::EventStore};
/// # use projection_core::Handlers;
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Serialize, Deserialize)] struct Placed { cents: i64 }
/// # impl Event for Placed { const NAME: &'static str = "Placed"; }
/// # #[derive(Default, Serialize, Deserialize)] struct Total { cents: i64 }
/// # impl Projection for Total {
/// #     type State = Self; type Id = projection_core::Singleton; const NAME: &'static str = "total";
/// #     fn handlers<H: Handlers<Self>>(handlers: &mut H) {
/// #         handlers.on::<Placed>(
/// #             |_, _, keys| keys.push(projection_core::Singleton),
/// #             |total, placed, _, _| total.get_or_insert_default().cents += placed.cents);
/// #     }
/// # }
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let events = InMemoryEventStore::new();
/// let views = InMemoryViews::new();
/// let repository = views.open::<Total>(&events.source()).await?;
///
/// let view = ProjectionView::<Total>::new(repository);
/// let feed = CatchupProjectionFeed::new(view, Filter::all(), Arc::new(events), views.checkpoints())?;
/// feed.catch_up().await?;
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CatchupProjectionFeed {
    core: Arc<FeedCore>,
}

impl CatchupProjectionFeed {
    /// Feeds `view` with those of `events` that pass `filter`, keeping its checkpoint in `checkpoints`. No I/O.
    ///
    /// # Errors
    ///
    /// When the view handles no event, two of its event types share a name, or `filter` names an event that no handler
    /// takes.
    pub fn new<S: EventStore>(
        view: impl IntoFeed,
        filter: Filter,
        events: Arc<S>,
        checkpoints: Arc<dyn CheckpointStorage>,
    ) -> Result<Self, FeedError> {
        Self::with_hold(view, filter, events, checkpoints, Hold::default())
    }

    /// Like [`new`](Self::new); `hold` says how many offered events are held during a replay, and what then.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub fn with_hold<S: EventStore>(
        view: impl IntoFeed,
        filter: Filter,
        events: Arc<S>,
        checkpoints: Arc<dyn CheckpointStorage>,
        hold: Hold,
    ) -> Result<Self, FeedError> {
        let parts = view.into_feed::<S>()?;
        Ok(Self { core: Arc::new(FeedCore::new(parts, events, filter, checkpoints, hold)?) })
    }

    /// Replays what the view has not applied yet, from its checkpoint or from the beginning, drains what arrived
    /// meanwhile, and is live when it returns. After a failure or a stop it can be called again. Dropping it stops it.
    ///
    /// About two round trips a batch, one a page of events, and one for each checkpoint that is not part of a batch.
    ///
    /// # Errors
    ///
    /// When a store fails and the retry strategy gives up, an event is poison, the handlers changed, or the feed was
    /// stopped. Nothing is recorded of the batch that failed.
    pub async fn catch_up(&self) -> Result<(), FeedError> {
        self.core.catch_up().await
    }

    /// Skips the history: goes on from the checkpoint if there is one, else from now on. Calling it again is harmless.
    ///
    /// # Errors
    ///
    /// Those of [`catch_up`](Self::catch_up).
    pub async fn go_live(&self) -> Result<(), FeedError> {
        self.core.go_live().await
    }

    /// Applies what has come into the store since; it is stored when this returns. Does nothing unless live.
    ///
    /// # Errors
    ///
    /// Those of [`catch_up`](Self::catch_up); the feed has then failed and can be started again.
    pub async fn poll(&self) -> Result<(), FeedError> {
        self.core.poll().await
    }

    /// Offers an event. A live feed has written the batch that holds it when this returns; during a replay it is held.
    ///
    /// One that the store holds is only a reason to read the store, so that it is applied once, in its place. One that
    /// it does not hold is applied by itself; an instance remembers the last 128 of these and is at least once beyond.
    ///
    /// # Errors
    ///
    /// When the feed is not started, was stopped, has failed (with the first cause), or holds no more.
    pub async fn accept(&self, event: OfferedEvent) -> Result<Accepted, FeedError> {
        self.core.accept(event).await
    }

    /// Ends a catch-up or the live phase. What is buffered is discarded; batches that are written stay, with their
    /// checkpoints.
    pub fn stop(&self) {
        self.core.stop();
    }

    /// How far it is, as a stream of values.
    #[must_use]
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.core.progress()
    }

    /// Why it failed, if it did.
    #[must_use]
    pub fn failure(&self) -> Option<FeedError> {
        self.core.failure()
    }
}

impl fmt::Debug for CatchupProjectionFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CatchupProjectionFeed").field("progress", &*self.core.progress().borrow()).finish()
    }
}

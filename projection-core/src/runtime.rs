//! The runtime of a service: its projections, replayed at start-up and kept up to date.

mod builder;
mod failure;
mod health;
mod lease;
mod name;
mod pace;
mod rebuild;
mod registration;
mod status;
mod supervise;
mod view;
mod wake;
mod worker;

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::Arc,
    time::Duration,
};

use futures::future::try_join_all;
use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    FeedError, Phase, Progress, Projection, StoreError,
    append::AppendToken,
    feed::AppliedError,
    store::{LeaseStorage, Ownership, ParkedInstance, SharedRepository},
};

pub use builder::ProjectionRuntimeBuilder;
pub use failure::{ReleaseError, StartError, UnknownProjection};
pub use health::Health;
pub use rebuild::{Rebuild, RebuildError, Rebuilt};
pub use status::ProjectionStatus;
pub use view::View;
use worker::Worker;

/// The projections of a service, started. Made by [`ProjectionRuntime::builder`].
///
/// Each projection runs in a task of its own: one that fails, or panics, leaves the others and the process alone, and
/// is listed as failed. Dropping the runtime ends them too, without waiting; [`shutdown`](Self::shutdown) waits.
pub struct ProjectionRuntime {
    workers: Vec<Worker>,
    views: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    leases: Option<Arc<dyn LeaseStorage>>,
    shutdown: CancellationToken,
    tasks: TaskTracker,
}

impl ProjectionRuntime {
    /// Waits until every projection has applied its history and is live. No I/O of its own.
    ///
    /// While another process owns a projection, or an outage lasts, it waits on: a stand-by is not caught up. For a
    /// readiness check that answers at once, see [`list`](Self::list).
    ///
    /// # Errors
    ///
    /// The first projection that failed, or was paused, before it had caught up.
    pub async fn caught_up(&self) -> Result<(), FeedError> {
        try_join_all(self.workers.iter().map(Worker::caught_up)).await?;
        // One that was live may have failed while others replayed.
        match self.workers.iter().find_map(|worker| worker.feed.failure()) {
            Some(failure) if !failure.may_pass() => Err(failure),
            _ => Ok(()),
        }
    }

    /// How far each projection is, as streams of values, in the order in which they were registered.
    #[must_use]
    pub fn progress(&self) -> Vec<watch::Receiver<Progress>> {
        self.workers.iter().map(|worker| worker.feed.progress()).collect()
    }

    /// Every projection and its state, in the order in which they were registered.
    #[must_use]
    pub fn list(&self) -> Vec<ProjectionStatus> {
        self.workers.iter().map(Worker::status).collect()
    }

    /// Which process owns which projection, since when; of all projections in the view store, also those that other
    /// services registered. Empty where the store has no leases. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub async fn owners(&self) -> Result<Vec<Ownership>, StoreError> {
        match &self.leases {
            Some(leases) => leases.owners().await,
            None => Ok(Vec::new()),
        }
    }

    /// What holds back the event store's mark, if anything does, for a person to read: an append that has taken a position
    /// and has not ended. Views do not pass it until it has. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub async fn held_by(&self) -> Result<Option<String>, StoreError> {
        match self.workers.first() {
            Some(worker) => worker.feed.held_by().await,
            None => Ok(None),
        }
    }

    /// Pauses a projection; it has stopped when this returns. What it had buffered is discarded and read again later.
    ///
    /// # Errors
    ///
    /// When no projection has this name.
    pub async fn pause(&self, projection: &str) -> Result<(), UnknownProjection> {
        self.worker(projection)?.pause().await;
        Ok(())
    }

    /// The instances of a projection that are parked: an event could not be applied to them, and they take no others
    /// until they are released (see [`OnPoison::Park`](crate::OnPoison::Park)). One round trip.
    ///
    /// # Errors
    ///
    /// When no projection has this name, or the store cannot be read.
    pub async fn parked(&self, projection: &str) -> Result<Vec<ParkedInstance>, ReleaseError> {
        Ok(self.worker(projection)?.feed.parked().await?)
    }

    /// Releases a parked instance, named as [`parked`](Self::parked) names it: what it missed is read again from the
    /// event it was parked for, and applied; then it goes on with the others. For use after the cause was mended, such
    /// as by a new build. Should an event fail again, the instance stays parked, from there.
    ///
    /// # Errors
    ///
    /// When no projection has this name, the instance is not parked, is parked again, or a store fails; and when the
    /// projection is not live in this process.
    pub async fn release(&self, projection: &str, instance: &str) -> Result<(), ReleaseError> {
        self.release_how(projection, instance, false).await
    }

    /// Releases a parked instance without the event it was parked for: that one is recorded as skipped, and dropped; what
    /// came after it is applied.
    ///
    /// # Errors
    ///
    /// Those of [`release`](Self::release).
    pub async fn release_dropping(&self, projection: &str, instance: &str) -> Result<(), ReleaseError> {
        self.release_how(projection, instance, true).await
    }

    async fn release_how(&self, projection: &str, instance: &str, without: bool) -> Result<(), ReleaseError> {
        let feed = &self.worker(projection)?.feed;
        let parked = feed.parked().await?;
        let not_parked =
            || ReleaseError::NotParked { projection: projection.to_owned(), instance: instance.to_owned() };
        let before = parked.into_iter().find(|parked| parked.instance == instance).ok_or_else(not_parked)?;
        if feed.release(instance, without).await? {
            return Ok(());
        }
        let again = feed.parked().await?.into_iter().find(|parked| parked.instance == instance);
        Err(ReleaseError::ParkedAgain(Box::new(again.unwrap_or(before))))
    }

    /// Goes on with a projection that was paused or has failed, from its checkpoint.
    ///
    /// # Errors
    ///
    /// When no projection has this name.
    pub fn resume(&self, projection: &str) -> Result<(), UnknownProjection> {
        self.worker(projection)?.resume();
        Ok(())
    }

    /// The view of `P`, to be read by id.
    ///
    /// # Errors
    ///
    /// When `P` was not registered.
    pub fn view<P: Projection>(&self) -> Result<View<P>, UnknownProjection> {
        self.views
            .get(&TypeId::of::<P>())
            .and_then(|view| view.downcast_ref::<SharedRepository<P>>())
            .map(|repository| View::new(Arc::clone(repository)))
            .ok_or_else(|| self.unknown(P::NAME))
    }

    /// Waits until what `token` names, the events of one append, is in the view of `P`, whichever process feeds it: read
    /// your own writes. It returns when the events themselves are applied, or prove irrelevant to the view. No round trips
    /// where this process owns the view, unless it passes over events that fail; then two or three.
    ///
    /// ```
    /// # use projection_core::{*, append::*, memory::*, runtime::ProjectionRuntime};
    /// # #[derive(serde::Serialize, serde::Deserialize, Event)] #[event(name = "Deposited")] struct Deposited { cents: i64 }
    /// # #[derive(Default, serde::Serialize, serde::Deserialize)] struct Balance { cents: i64 }
    /// # #[projection(name = "balance")]
    /// # impl Balance { #[on] fn deposited(&mut self, event: &Deposited) { self.cents += event.cents; } }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let events = InMemoryEventStore::new();
    /// # let runtime = ProjectionRuntime::builder(events.clone(), InMemoryViews::new()).register::<Balance>().start().await?;
    /// let deposit = NewEvent::new(&Deposited { cents: 5 })?;
    /// let appended = events.append("account-1", ExpectedVersion::Any, [deposit]).await?;
    /// runtime.applied::<Balance>(appended.token(), std::time::Duration::from_secs(2)).await?;
    /// let balance = runtime.view::<Balance>()?.find(&"account-1".into()).await?;
    /// assert_eq!(balance.unwrap().cents, 5);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When it is not applied within `timeout`, when an event was skipped or its instance is parked, when the view began
    /// later in the history, when the token is of another store, when the projection has failed, and when `P` was not
    /// registered.
    pub async fn applied<P: Projection>(&self, token: &AppendToken, timeout: Duration) -> Result<(), AppliedError> {
        self.worker(P::NAME)?.feed.applied(token, timeout).await
    }

    /// Stops every projection and waits until they have stopped. A batch that is being written is written to its end;
    /// what is only buffered is discarded. Nothing runs after it, and to call it again is harmless; views can still be
    /// read.
    pub async fn shutdown(&self) {
        self.end();
        self.tasks.wait().await;
    }

    fn end(&self) {
        self.shutdown.cancel();
        for worker in &self.workers {
            worker.feed.pause();
        }
        self.tasks.close();
    }

    fn worker(&self, projection: &str) -> Result<&Worker, UnknownProjection> {
        self.workers.iter().find(|worker| worker.name == projection).ok_or_else(|| self.unknown(projection))
    }

    fn unknown(&self, projection: &str) -> UnknownProjection {
        let known = self.workers.iter().map(|worker| worker.name.clone()).collect();
        UnknownProjection { projection: projection.to_owned(), known }
    }
}

impl Drop for ProjectionRuntime {
    fn drop(&mut self) {
        self.end();
    }
}

impl std::fmt::Debug for ProjectionRuntime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let phases: Vec<(String, Phase)> =
            self.list().into_iter().map(|status| (status.name, status.progress.phase)).collect();
        f.debug_struct("ProjectionRuntime").field("projections", &phases).finish_non_exhaustive()
    }
}

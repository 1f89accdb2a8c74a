//! The service: commands that append, views that a runtime keeps, and whether they are up to date.

use std::time::Duration;

use projection_core::{
    OnPoison, Projection, ProjectionRuntime, StoreError, ViewStore,
    append::{AppendEvents, AppendToken, Appended},
    feed::AppliedError,
    runtime::{Health, ProjectionStatus, StartError},
};

use crate::{
    commands::Commands,
    views::{CustomerView, OrderView},
};

/// Generic over the event store alone: the runtime has taken in where the views are kept.
pub(crate) struct Service<E> {
    pub(crate) commands: Commands<E>,
    pub(crate) runtime: ProjectionRuntime,
    events: E,
}

/// What a client asked for is waited for so long.
const PATIENCE: Duration = Duration::from_secs(2);

/// How far behind the view that another process feeds may be.
const BEHIND: Duration = Duration::from_secs(1);

/// A customer whose events cannot be applied is set aside, and the others go on.
const PARK: OnPoison = OnPoison::Park { max: 100 };

impl<E: AppendEvents + Clone> Service<E> {
    /// Starts the views. They replay what they have missed while the service serves already.
    pub(crate) async fn start<V: ViewStore>(events: E, views: V, lease: Duration) -> Result<Self, StartError> {
        let runtime = ProjectionRuntime::builder(events.clone(), views)
            .register_with::<OrderView>(|options| options.on_poison(PARK))
            .register_with::<CustomerView>(|options| options.on_poison(PARK))
            .lease(lease)
            .start()
            .await?;
        Ok(Self { commands: Commands::new(events.clone()), runtime, events })
    }
}

impl<E: AppendEvents> Service<E> {
    /// One instance of a view; with the token of an append, not before the append is in it.
    pub(crate) async fn find<P: Projection>(
        &self,
        id: &P::Id,
        after: Option<&AppendToken>,
    ) -> Result<Option<P::State>, AppliedError> {
        if let Some(token) = after {
            self.runtime.applied::<P>(token, PATIENCE).await?;
        }
        let found = self.runtime.view::<P>()?.find(id).await;
        found.map_err(|source| {
            let projection = P::NAME.to_owned();
            projection_core::FeedError::Storage { projection, what: "an instance cannot be read", source }.into()
        })
    }

    /// Every view, and whether what it shows is up to date. One that another process feeds is as ready as that process
    /// makes it: what counts is what is stored.
    pub(crate) async fn readiness(&self) -> Result<Vec<(ProjectionStatus, bool)>, StoreError> {
        let mark = self.events.mark().await?;
        let now = Appended::new(self.events.source(), mark, mark, Vec::new());
        let (orders, customers) =
            tokio::join!(self.ready::<OrderView>(now.token()), self.ready::<CustomerView>(now.token()));
        Ok(orders.into_iter().chain(customers).collect())
    }

    async fn ready<P: Projection>(&self, now: &AppendToken) -> Option<(ProjectionStatus, bool)> {
        let status = self.runtime.list().into_iter().find(|status| status.name == P::NAME)?;
        let ready = match status.health {
            Health::Standby => self.runtime.applied::<P>(now, BEHIND).await.is_ok(),
            health => health.is_ready(),
        };
        Some((status, ready))
    }
}

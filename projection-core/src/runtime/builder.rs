//! Registering projections, and starting them.

use std::{collections::HashSet, sync::Arc, time::Duration};

use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::Instrument;

use super::{
    ProjectionRuntime, StartError,
    lease::Lease,
    registration::{Configure, Registered, Registration},
    wake::{self, Heard},
};
use crate::{
    MaterializedViewOptionsBuilder, Projection,
    engine::Hub,
    store::{EventStore, LeaseRequest, SharedRepository, ViewStore},
};

/// Collects the projections of a service. Made by [`ProjectionRuntime::builder`].
#[must_use = "nothing runs before `start`"]
pub struct ProjectionRuntimeBuilder<S, V> {
    events: Arc<S>,
    views: V,
    registrations: Vec<Box<dyn Registration<S, V>>>,
    poll: Duration,
    owner: String,
    lease: Duration,
}

/// How often the event store is asked for what is new.
const POLL: Duration = Duration::from_millis(250);

/// How long a process owns a projection without renewing its lease.
const LEASE: Duration = Duration::from_secs(15);

impl ProjectionRuntime {
    /// A runtime that reads `events` and keeps its views, and their checkpoints, in `views`.
    pub fn builder<S: EventStore, V: ViewStore>(events: S, views: V) -> ProjectionRuntimeBuilder<S, V> {
        ProjectionRuntimeBuilder {
            events: Arc::new(events),
            views,
            registrations: Vec::new(),
            poll: POLL,
            owner: format!("{}-{}", std::process::id(), uuid::Uuid::new_v4()),
            lease: LEASE,
        }
    }
}

impl<S: EventStore, V: ViewStore> ProjectionRuntimeBuilder<S, V> {
    /// Registers `P`, with the options of its attribute.
    pub fn register<P: Projection>(self) -> Self {
        self.register_with::<P>(|options| options)
    }

    /// Registers `P`; `configure` overrides the options of its attribute.
    pub fn register_with<P: Projection>(
        self,
        configure: impl FnOnce(MaterializedViewOptionsBuilder) -> MaterializedViewOptionsBuilder + Send + 'static,
    ) -> Self {
        self.add::<P>(Box::new(configure), None)
    }

    /// Registers `P` with a repository of your own instead of one of the view store's. Its checkpoint stays in the
    /// view store. Unless the repository is guarded, the view is at least once.
    pub fn register_in<P: Projection>(
        self,
        repository: SharedRepository<P>,
        configure: impl FnOnce(MaterializedViewOptionsBuilder) -> MaterializedViewOptionsBuilder + Send + 'static,
    ) -> Self {
        self.add::<P>(Box::new(configure), Some(repository))
    }

    /// How often the event store is asked for what is new, once a projection is live and nothing tells of appends.
    /// Where the store tells of all of them, it is asked 20 times as seldom, in case one went unheard. 250 ms by default,
    /// 1 ms at the least.
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll = interval.max(Duration::from_millis(1));
        self
    }

    /// How long this process owns a projection without renewing its lease, by the database's clock: so long after it
    /// died another takes over. It renews three times as often. 15 s by default.
    pub fn lease(mut self, ttl: Duration) -> Self {
        self.lease = ttl;
        self
    }

    /// Names this process in the list of owners, such as by its host; a random part is added, since another start is
    /// another owner.
    pub fn owner(mut self, name: &str) -> Self {
        self.owner = format!("{name}-{}", uuid::Uuid::new_v4());
        self
    }

    fn add<P: Projection>(mut self, configure: Configure, repository: Option<SharedRepository<P>>) -> Self {
        self.registrations.push(Box::new(Registered::<P>::new(configure, repository)));
        self
    }

    /// Opens every view, checks it against its checkpoint, and starts to replay. Returns once all have begun;
    /// [`caught_up`](ProjectionRuntime::caught_up) waits until they are done. A few round trips a projection.
    ///
    /// Must be called within a Tokio runtime.
    ///
    /// # Errors
    ///
    /// When two projections have one name, a setting is not allowed, a view cannot be opened, or its handlers changed
    /// without a new version. Nothing has been started then.
    pub async fn start(self) -> Result<ProjectionRuntime, StartError> {
        let mut names = HashSet::new();
        for registration in &self.registrations {
            if !names.insert(registration.name()) {
                return Err(StartError::SameName { name: registration.name().to_owned() });
            }
        }
        if names.is_empty() {
            return Err(StartError::Nothing);
        }
        if cfg!(panic = "abort") {
            tracing::warn!(
                "built with panic = \"abort\": a handler that panics ends the process, whatever `on_poison` says"
            );
        }
        let mut runtime = ProjectionRuntime {
            workers: Vec::new(),
            views: std::collections::HashMap::new(),
            leases: self.views.leases(),
            shutdown: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        let hub = Hub::new(Arc::clone(&self.events));
        for registration in self.registrations {
            let opened = registration.open(&hub, &self.views).await?;
            runtime.views.insert(opened.view.0, opened.view.1);
            runtime.workers.push(opened.worker);
        }
        let heard = tokio::sync::watch::Sender::new(Heard::default());
        for worker in &runtime.workers {
            let span = tracing::info_span!("projection", name = worker.name, version = worker.version);
            let lease = runtime.leases.clone().filter(|_| worker.shared).map(|leases| {
                let (projection, owner) = (worker.name.clone(), self.owner.clone());
                Lease::new(leases, LeaseRequest { projection, version: worker.version, owner, ttl: self.lease })
            });
            runtime
                .tasks
                .spawn(worker.work(lease, self.poll, heard.subscribe(), runtime.shutdown.clone()).instrument(span));
        }
        let feeds = runtime.workers.iter().map(|worker| Arc::clone(&worker.feed)).collect();
        runtime.tasks.spawn(wake::listen(self.events, heard, feeds, runtime.shutdown.clone()));
        Ok(runtime)
    }
}

impl<S, V> std::fmt::Debug for ProjectionRuntimeBuilder<S, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProjectionRuntimeBuilder")
            .field("projections", &self.registrations.len())
            .field("poll", &self.poll)
            .finish_non_exhaustive()
    }
}

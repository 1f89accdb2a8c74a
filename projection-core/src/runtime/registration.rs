//! A registered projection, before it is opened.

use std::{
    any::{Any, TypeId},
    marker::PhantomData,
    sync::Arc,
};

use async_trait::async_trait;

use super::{StartError, name, worker::Worker};
use crate::{
    MaterializedViewOptions, MaterializedViewOptionsBuilder, Projection,
    engine::Hub,
    feed::{FeedCore, Hold, IntoFeed, ProjectionView},
    store::{EventStore, SharedRepository, ViewStore},
};

pub(super) type Configure =
    Box<dyn FnOnce(MaterializedViewOptionsBuilder) -> MaterializedViewOptionsBuilder + Send>;

/// A registered projection, its type erased.
#[async_trait]
pub(super) trait Registration<S: EventStore, V: ViewStore>: Send {
    fn name(&self) -> &'static str;

    async fn open(self: Box<Self>, hub: &Arc<Hub<S>>, views: &V) -> Result<Opened, StartError>;
}

/// A projection that is ready to run.
pub(super) struct Opened {
    pub worker: Worker,
    pub view: (TypeId, Arc<dyn Any + Send + Sync>),
}

pub(super) struct Registered<P: Projection> {
    configure: Configure,
    /// A home of the user's own.
    repository: Option<SharedRepository<P>>,
    projection: PhantomData<fn() -> P>,
}

impl<P: Projection> Registered<P> {
    pub(super) fn new(configure: Configure, repository: Option<SharedRepository<P>>) -> Self {
        Self { configure, repository, projection: PhantomData }
    }
}

#[async_trait]
impl<P: Projection, S: EventStore, V: ViewStore> Registration<S, V> for Registered<P> {
    fn name(&self) -> &'static str {
        P::NAME
    }

    async fn open(self: Box<Self>, hub: &Arc<Hub<S>>, views: &V) -> Result<Opened, StartError> {
        let projection = || P::NAME.to_owned();
        name::check(P::NAME)?;
        let options: MaterializedViewOptions = (self.configure)(P::options().to_builder())
            .build()
            .map_err(|source| StartError::Options { projection: projection(), source })?;
        let versions = if self.repository.is_none() { views.versions(P::NAME) } else { None };
        let repository = match self.repository {
            Some(repository) => repository,
            None => views
                .open::<P>(&hub.source())
                .await
                .map_err(|source| StartError::Open { projection: projection(), source })?,
        };
        let shared = !options.start().forgets();
        let view = ProjectionView::<P>::new(Arc::clone(&repository)).with_options(options);
        let (parts, decoders) = view.into_feed::<S>()?.without_decoders();
        let feed = FeedCore::of(parts, hub.join(decoders), views.checkpoints(), Hold::default()).supervised();
        feed.check().await?;
        let worker = Worker::new(projection(), P::VERSION, Arc::new(feed), shared).with_versions(versions);
        Ok(Opened { worker, view: (TypeId::of::<P>(), Arc::new(repository)) })
    }
}

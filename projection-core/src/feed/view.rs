//! What a feed can drive: the view of a projection, or a view written by hand.

use std::sync::Arc;

use crate::{
    FeedError, MaterializedViewOptions, Projection,
    engine::{Decoders, HandWritten, HandlerTable, Identity, ProjectionTarget, Router, Target, router},
    feed::MaterializedView,
    store::{EventStore, SharedRepository},
};

/// The materialized view of projection `P`, kept in a repository: batched, and effectively once where the repository
/// keeps positions.
pub struct ProjectionView<P: Projection> {
    repository: SharedRepository<P>,
    options: MaterializedViewOptions,
}

impl<P: Projection> ProjectionView<P> {
    /// The view of `P` in `repository`, with the options of its attribute.
    pub fn new(repository: SharedRepository<P>) -> Self {
        Self { repository, options: P::options() }
    }

    /// Overrides the options.
    #[must_use]
    pub fn with_options(mut self, options: MaterializedViewOptions) -> Self {
        self.options = options;
        self
    }
}

impl<P: Projection> std::fmt::Debug for ProjectionView<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProjectionView").field("projection", &P::NAME).field("options", &self.options).finish()
    }
}

/// A view that can be fed: a [`ProjectionView`], or any [`MaterializedView`].
pub trait IntoFeed: private::Sealed {
    #[doc(hidden)]
    fn into_feed<S: EventStore>(self) -> Result<FeedParts<S>, FeedError>;
}

/// A view, taken apart for the engine.
#[doc(hidden)]
pub struct FeedParts<S: EventStore> {
    pub(crate) identity: Identity,
    pub(crate) decoders: Decoders<S>,
    pub(crate) target: Box<dyn Target>,
    pub(crate) router: Router,
    pub(crate) options: MaterializedViewOptions,
}

/// A view without what is of the event store.
pub(crate) struct ViewParts {
    pub(crate) identity: Identity,
    pub(crate) target: Box<dyn Target>,
    pub(crate) router: Router,
    pub(crate) options: MaterializedViewOptions,
}

impl<S: EventStore> FeedParts<S> {
    pub(crate) fn without_decoders(self) -> (ViewParts, Decoders<S>) {
        let Self { identity, decoders, target, router, options } = self;
        (ViewParts { identity, target, router, options }, decoders)
    }
}

impl<P: Projection> IntoFeed for ProjectionView<P> {
    fn into_feed<S: EventStore>(self) -> Result<FeedParts<S>, FeedError> {
        let decoders = checked(P::NAME, Decoders::<S>::of_projection::<P>())?;
        let target = ProjectionTarget::<P>::new(self.repository, &self.options);
        let most = HandlerTable::<P>::new().most_for_one_event();
        if most > HandlerTable::<P>::CAPACITY {
            let capacity = HandlerTable::<P>::CAPACITY;
            return Err(invalid(P::NAME, format!("one event has {most} handlers; at most {capacity} are allowed")));
        }
        let identity = Identity { projection: P::NAME.to_owned(), version: P::VERSION, handled: decoders.names() };
        Ok(FeedParts { identity, decoders, target: Box::new(target), router: router::<P>(), options: self.options })
    }
}

impl<V: MaterializedView> IntoFeed for Arc<V> {
    fn into_feed<S: EventStore>(self) -> Result<FeedParts<S>, FeedError> {
        let decoders = checked(self.name(), Decoders::<S>::of_set::<V::Event>())?;
        let options = self.options();
        let identity =
            Identity { projection: self.name().to_owned(), version: self.version(), handled: decoders.names() };
        let target = Box::new(HandWritten::new(self, &options));
        // It has no instances that we know of.
        Ok(FeedParts { identity, decoders, target, router: Arc::new(|_| Vec::new()), options })
    }
}

fn checked<S: EventStore>(name: &str, decoders: Result<Decoders<S>, &str>) -> Result<Decoders<S>, FeedError> {
    let decoders = decoders.map_err(|clash| {
        invalid(
            name,
            format!(
                "two types that its handlers take are stored under `{clash}`: two events of one name, or an event that is \
                 taken alone and in a set; each name needs one type"
            ),
        )
    })?;
    if decoders.names().is_empty() {
        return Err(invalid(name, "it handles no event".to_owned()));
    }
    Ok(decoders)
}

fn invalid(projection: &str, reason: String) -> FeedError {
    FeedError::Invalid { projection: projection.to_owned(), reason }
}

mod private {
    use std::sync::Arc;

    pub trait Sealed {}
    impl<P: crate::Projection> Sealed for super::ProjectionView<P> {}
    impl<V: crate::feed::MaterializedView> Sealed for Arc<V> {}
}

//! Why a runtime did not start, or does not know a projection.

use crate::{FeedError, InvalidOption, StoreError, store::ParkedInstance};

/// Why a runtime did not start. Nothing runs after it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is nothing to run.
    #[error("no projection is registered: call `register::<YourProjection>()` on the builder")]
    Nothing,
    /// Two projections have one name.
    #[error(
        "two projections are named `{name}`: a name is where a view and its checkpoint are kept, so each needs its own"
    )]
    SameName {
        /// The name.
        name: String,
    },
    /// A name that a database could not use.
    #[error("`{name}` cannot name a projection: {reason}")]
    Name {
        /// The name.
        name: String,
        /// Why, and what is allowed.
        reason: &'static str,
    },
    /// A setting is not allowed.
    #[error("projection `{projection}`")]
    Options {
        /// The projection.
        projection: String,
        /// Which setting, and what is allowed.
        source: InvalidOption,
    },
    /// The view's home could not be opened.
    #[error("projection `{projection}`: its view cannot be opened")]
    Open {
        /// The projection.
        projection: String,
        /// The store's error.
        source: StoreError,
    },
    /// The projection is not in order, or does not fit its checkpoint.
    #[error(transparent)]
    Feed(#[from] FeedError),
}

impl StartError {
    /// Whether starting again later may help, such as when the database is away.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Open { source, .. } => source.may_pass(),
            Self::Feed(error) => error.may_pass(),
            _ => false,
        }
    }
}

/// No registered projection has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no projection named `{projection}` is registered; there are: {}", .known.join(", "))]
pub struct UnknownProjection {
    /// The name that was asked for.
    pub projection: String,
    /// The names there are.
    pub known: Vec<String>,
}

/// Why a parked instance was not released.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// No projection has this name.
    #[error(transparent)]
    Unknown(#[from] UnknownProjection),
    /// The instance is not parked.
    #[error("instance {instance} of projection `{projection}` is not parked: `parked` lists those that are")]
    NotParked {
        /// The projection.
        projection: String,
        /// The instance, as it was named.
        instance: String,
    },
    /// An event failed again, and the instance stays parked from there.
    #[error("instance {} stays parked, now from position {}: {}", .0.instance, .0.from, .0.cause)]
    ParkedAgain(Box<ParkedInstance>),
    /// The projection is not live in this process, or a store failed.
    #[error(transparent)]
    Feed(#[from] FeedError),
}

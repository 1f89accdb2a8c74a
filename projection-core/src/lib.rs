//! A projection runtime: annotated handlers become materialized views.

// `#[projection]` names the crate as its users do.
extern crate self as projection_core;

mod engine;
mod error;
mod event;
pub mod feed;
mod filter;
mod index;
mod key;
pub mod memory;
mod metadata;
mod meters;
mod options;
mod position;
mod progress;
pub mod projection;
mod retry;
pub mod runtime;
pub mod store;
pub mod testing;

pub use engine::FeedError;
pub use error::{ErrorKind, StoreError};
#[doc(hidden)]
pub use event::share_a_name;
pub use event::{Event, EventSet, EventType, EventVisitor};
pub use filter::Filter;
pub use index::{Direction, Index};
pub use key::{IntoKey, IntoKeys, Key, KeyMismatch, KeyRef, Keys, Singleton};
#[doc(hidden)]
pub use key::{Many, One};
pub use metadata::{EventMetadata, EventRef, StreamId};
pub use options::{InvalidOption, MaterializedViewOptions, MaterializedViewOptionsBuilder, OnPoison};
pub use position::{InvalidPosition, Position};
pub use progress::{Phase, Progress, TimeSpent};
pub use projection::{Handlers, Projection, ViewState};
#[cfg(feature = "macros")]
pub use projection_macros::{Event, EventSet, Key, projection};
pub use retry::{Retries, RetryStrategy};
pub use runtime::ProjectionRuntime;
pub use store::{CheckpointStorage, EventStore, ViewStateRepository, ViewStore};

//! A projection runtime: annotated handlers become materialized views, replayed from the event history in batches and
//! kept up to date. No database is in here: the in-memory stores are, and store crates such as `projection-mongo`
//! implement the traits of [`store`].
//!
//! ```
//! use projection_core::{Event, ProjectionRuntime, memory::{InMemoryEventStore, InMemoryViews, NewEvent}, projection};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, Event)]
//! #[event(name = "Deposited")]
//! struct Deposited { cents: i64 }
//!
//! #[derive(Default, Serialize, Deserialize)]
//! struct Balance { cents: i64 }
//!
//! #[projection(name = "balance")] // one instance for each stream
//! impl Balance {
//!     #[on] fn deposited(&mut self, event: &Deposited) { self.cents += event.cents; }
//! }
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let events = InMemoryEventStore::new();
//! events.record("account-1", [NewEvent::new(&Deposited { cents: 5 })?, NewEvent::new(&Deposited { cents: 7 })?])?;
//!
//! let runtime = ProjectionRuntime::builder(events, InMemoryViews::new()).register::<Balance>().start().await?;
//! runtime.caught_up().await?;
//! let balance = runtime.view::<Balance>()?.find(&"account-1".into()).await?;
//! assert_eq!(balance.map(|balance| balance.cents), Some(12));
//! # Ok(()) }
//! ```
//!
//! A newcomer needs [`Event`], [`EventMetadata`], [`projection`](macro@projection), [`Key`], [`ProjectionRuntime`],
//! [`MaterializedViewOptions`], one event store and one view store. Whoever drives a view by hand finds [`feed`], and
//! whoever keeps views in a home of their own finds [`ViewStateRepository`].

// `#[projection]` names the crate as its users do.
extern crate self as projection_core;

pub mod append;
mod comparable;
mod engine;
mod error;
mod event;
pub mod feed;
mod filter;
#[cfg(doctest)]
mod guide;
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
mod start;
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
pub use start::Start;
pub use store::{CheckpointStorage, EventStore, ViewStateRepository, ViewStore};

//! Stores that live in memory: for tests, for small programs, and for views that need no database.
//!
//! They behave as the databases do: states and events are kept encoded, guards and unique indexes are checked, and a
//! checkpoint is stored in one step with the batch it belongs to. Each handle is shared: a clone sees the same data.
//!
//! ```
//! use projection_core::{Event, EventStore, memory::{InMemoryEventStore, NewEvent}};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, Event)]
//! #[event(name = "OrderPlaced")]
//! struct OrderPlaced { total_cents: i64 }
//!
//! let events = InMemoryEventStore::new();
//! let last = events.record("order-1", [NewEvent::new(&OrderPlaced { total_cents: 990 })?])?;
//! assert_eq!(last.as_i64(), 1);
//! # Ok::<(), projection_core::StoreError>(())
//! ```

mod checkpoints;
mod events;
mod leases;
mod owned_key;
mod page;
mod repository;
mod state;
mod table;
mod unique;
mod versions;
mod views;

pub use crate::append::NewEvent;
pub use checkpoints::InMemoryCheckpoints;
pub use events::InMemoryEventStore;
pub use page::{InMemoryEvent, InMemoryPage};
pub use views::{InMemoryViews, Instance};

//! SQLite for `projection-core`, the embedded default: events, views, checkpoints and leases in one file, with no
//! server.
//!
//! ```
//! use projection_core::{Event, ProjectionRuntime, append::{AppendEvents as _, ExpectedVersion, NewEvent}, projection};
//! use projection_sqlite::SqliteStore;
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
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("shop.db");
//! let store = SqliteStore::open(&path).await?; // a path, such as "shop.db"
//! let deposits = [NewEvent::new(&Deposited { cents: 5 })?, NewEvent::new(&Deposited { cents: 7 })?];
//! store.events().append("account-1", ExpectedVersion::NoStream, deposits).await?;
//!
//! let runtime = ProjectionRuntime::builder(store.events(), store.views()).register::<Balance>().start().await?;
//! runtime.caught_up().await?;
//! let balance = runtime.view::<Balance>()?.find(&"account-1".into()).await?;
//! assert_eq!(balance.map(|balance| balance.cents), Some(12));
//! # Ok(()) }
//! ```
//!
//! Afterwards `sqlite3 shop.db 'select * from balance'` shows `account-1|{"cents":12}|2`.

mod checkpoints;
mod database;
mod error;
mod events;
#[cfg(doctest)]
mod guide;
mod leases;
mod options;
mod repository;
mod schema;
mod sql;
mod store;
mod views;

pub use checkpoints::SqliteCheckpoints;
pub use events::{SqliteEvent, SqliteEvents, SqlitePage};
pub use leases::SqliteLeases;
pub use options::SqliteOptions;
/// The version of rusqlite whose transactions [`SqliteEvents::append_in`] takes.
pub use rusqlite;
pub use store::SqliteStore;
pub use views::SqliteViews;

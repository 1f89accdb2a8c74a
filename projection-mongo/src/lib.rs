//! MongoDB for [`projection_core`]: views as documents that ordinary queries find, events read from a collection,
//! checkpoints.
//!
//! ```no_run
//! use mongodb::Client;
//! use projection_core::{Event, ProjectionRuntime, projection};
//! use projection_mongo::{MongoEvents, MongoEventsOptions, MongoViews};
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
//! let database = Client::with_uri_str("mongodb://localhost:27017").await?.database("bank");
//! let events = MongoEvents::open(&database, "events", MongoEventsOptions::new()).await?;
//! let views = MongoViews::new(database.clone());
//!
//! let runtime = ProjectionRuntime::builder(events, views).register::<Balance>().start().await?;
//! runtime.caught_up().await?;
//!
//! // The view is a collection: `balance.v1`, shown as `balance`.
//! let balances = database.collection::<bson::Document>("balance");
//! let rich = balances.find(bson::doc! { "cents": { "$gt": 1_000_000 } }).await?;
//! # Ok(()) }
//! ```
//!
//! [`MongoViews`] keeps views, effectively once: a state and the position of its last event are one write, guarded by
//! the position it was loaded with. Where the server has transactions, the owner of a view writes each chunk of a batch
//! in one, with its fence and, at the end, the checkpoint ([`MongoLeases`], [`Transactions`]). [`MongoEvents`] reads a collection of events, also one that exists, by mapping the
//! names of its fields ([`EventFields`]). [`MongoCheckpoints`] is for whoever keeps views elsewhere.
//!
//! The feature `dns-resolver` is for addresses that begin with `mongodb+srv://`.

mod bulk;
mod checkpoints;
mod decode;
mod document;
mod encode;
mod error;
mod events;
mod fences;
mod find;
#[cfg(doctest)]
mod guide;
mod id;
mod leases;
mod repository;
mod topology;
mod transaction;
mod views;
mod writer;

pub use checkpoints::MongoCheckpoints;
pub use error::MongoError;
pub use events::{
    EventFields, Filling, ImportedEvent, MongoEvent, MongoEvents, MongoEventsOptions, MongoPage, Reservation,
};
pub use leases::MongoLeases;
pub use views::{MongoViews, MongoViewsOptions, Transactions};

//! MongoDB for projection-core.

mod bulk;
mod checkpoints;
mod decode;
mod document;
mod error;
mod events;
mod find;
mod id;
mod repository;
mod views;
mod writer;

pub use checkpoints::MongoCheckpoints;
pub use error::MongoError;
pub use events::{EventFields, ImportedEvent, MongoEvent, MongoEvents, MongoEventsOptions, MongoPage};
pub use views::{MongoViews, MongoViewsOptions};

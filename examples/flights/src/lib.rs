//! The flights that left New York in 2013 as an event history, the views of it, and a report from the views.

pub mod events;
pub mod figures;
pub mod history;
pub mod ids;
pub mod input;
pub mod memory;
pub mod mongo;
pub mod names;
pub mod replay;
pub mod report;
pub mod run;
pub mod sqlite;
pub mod standing;
pub mod stored;
pub mod summary;
pub mod views;

//! What every implementation of the storage traits must do.

pub mod append;
pub mod checkpoints;
pub mod events;
pub mod guarded;
pub mod leases;
pub mod model;
pub mod rebuild;
pub mod tombstones;
pub mod unique;
pub mod views;

mod samples;

pub use samples::{Account, Tally, View, change, load, load_one, outcome_names, put, write};

//! What every implementation of the storage traits must do, and the server that tests of databases run on.
//!
//! A suite is a set of functions over a store; [`suite!`] makes a test of each for one implementation, and
//! [`view_suites!`], [`lease_suites!`], [`rebuild_suites!`], [`event_suites!`] and [`append_suites!`] name them all.

pub mod appending;
pub mod conformance;
pub mod notes;
pub mod progress;
pub mod server;
pub mod switch;

mod suites;

//! The engine, driven through its public feeds and runtime, in memory: batching, failure, handover, checkpoints.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "clippy.toml allows them in test functions; here they are in their helpers, too"
)]

mod applied;
mod batching;
mod budget;
mod checkpoints;
mod failing;
mod fold_property;
mod guarded;
mod hand_written;
mod handover;
mod hostile;
#[cfg(feature = "metrics")]
mod meters;
mod one_scan;
mod ownership;
mod paged;
mod parking;
mod poison;
mod rebuild;
mod runtime;
mod start;
mod stopping;
mod support;

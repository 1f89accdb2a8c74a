//! The engine, driven through its public feeds and runtime, in memory: batching, failure, handover, checkpoints.

mod batching;
mod checkpoints;
mod failing;
mod fold_property;
mod guarded;
mod hand_written;
mod handover;
mod ownership;
mod parking;
mod poison;
mod runtime;
mod stopping;
mod support;

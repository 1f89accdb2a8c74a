//! The replay benchmark: how fast a history becomes a view, beside what the same server does without us.
//!
//! Every measured run is a process of its own, so that its processor time and its peak memory are its own, and so that
//! it can be killed and resumed. Each way runs once unmeasured, to count what it sends, and then in turn with the
//! others, several times. `docs/performance.md` says how to read what comes out.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark talks to a person")]

pub mod account;
mod args;
mod case;
mod child;
mod dataset;
mod flights;
pub mod generate;
mod kill;
mod live;
mod measure;
mod mongo;
mod options;
mod ours;
mod plain;
mod report;
mod run;
mod spec;
mod sqlite;
mod way;

pub use args::Args;
pub use live::{LiveArgs, run_live};
pub use run::run;

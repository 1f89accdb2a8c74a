//! The flights that left New York in 2013: an event history, seven views of it, and a report from the views.
//!
//! ```text
//! cargo run --release --example flights                          the first week, in a SQLite file in `data`
//! cargo run --release --example flights -- --data full           the whole year; `cargo xtask data` brings it
//! cargo run --release --example flights -- --memory              in memory, which leaves nothing behind
//! cargo run --release --example flights -- --mongo mongodb://…   events and views in MongoDB
//! ```
//!
//! Ctrl-C ends it, and so may anything else: the next run goes on where it is, and says where that is.
//!
//! Rows that say no flight are named on stderr with their line and left out. The report goes to stdout; its last line
//! is one JSON object, whose `checks` are the sums over the stored documents, and whose `skipped` are the events that
//! tell of no aircraft, for which the view `aircraft` has no instance.

#![allow(clippy::print_stderr, reason = "a program talks to the one who started it")]

mod args;
mod bar;
mod data;
mod replaying;
mod stopping;
mod ways;

use std::process::ExitCode;

use clap::Parser;

use crate::{args::Args, stopping::Stopped};

#[tokio::main]
async fn main() -> ExitCode {
    let stop = stopping::on_ctrl_c();
    let Err(error) = ways::go(&Args::parse(), &stop).await else { return ExitCode::SUCCESS };
    if let Some(stopped) = error.downcast_ref::<Stopped>() {
        eprintln!("{stopped}");
        return stopping::EXIT_CODE.into();
    }
    eprintln!("error: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        eprintln!("  because: {error}");
        cause = error.source();
    }
    ExitCode::FAILURE
}

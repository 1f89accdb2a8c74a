//! The flights that left New York in 2013: an event history, seven views of it, and a report from the views.
//!
//! ```text
//! cargo run --release --example flights                          the first week, in memory
//! cargo run --release --example flights -- --data full           the whole year; `cargo xtask data` brings it
//! cargo run --release --example flights -- --mongo mongodb://…   events and views in MongoDB; may be stopped and
//!                                                                started again
//! ```
//!
//! Rows that say no flight are named on stderr with their line and left out. The report goes to stdout; its last line
//! is one JSON object, whose `checks` are the sums over the stored documents, and whose `skipped` are the events that
//! tell of no aircraft, for which the view `aircraft` has no instance.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program talks to the one who started it")]

mod args;
mod bar;
mod data;

use std::{error::Error, process::ExitCode};

use clap::Parser;
use flights::{
    memory,
    report::Report,
    run::{Outcome, RunOptions, run},
};
use projection_core::memory::InMemoryViews;

use crate::{args::Args, bar::ReplayBar};

#[tokio::main]
async fn main() -> ExitCode {
    match report(&Args::parse()).await {
        Ok(outcome) => {
            print!("{}", Report { figures: &outcome.figures, summary: &outcome.summary });
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            let mut cause = error.source();
            while let Some(error) = cause {
                eprintln!("  because: {error}");
                cause = error.source();
            }
            ExitCode::FAILURE
        }
    }
}

async fn report(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    in_memory(args).await
}

async fn in_memory(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let path = data::file(args.data.as_deref())?;
    let (history, malformed) = data::read(&path, |row| eprintln!("{}: {row}", path.display()))?;
    let history = history.with_copies(args.copies);
    let options = RunOptions { events: history.len(), malformed, batch_size: args.batch_size.map(Into::into) };
    let events = memory::events_of(&history)?;
    drop(history);
    let views = InMemoryViews::new();
    let mut bar = None;
    let outcome = run(events, views.clone(), &views, options, |views| bar = Some(ReplayBar::of(views))).await;
    if let Some(bar) = bar {
        bar.finish();
    }
    Ok(outcome?)
}

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

#![allow(clippy::print_stderr, reason = "a program talks to the one who started it")]

mod args;
mod bar;
mod data;

use std::{
    error::Error,
    io::{self, Write},
    process::ExitCode,
    time::Instant,
};

use clap::Parser;
use flights::{
    input::Malformed,
    memory,
    mongo::FlightsDatabase,
    report::Report,
    run::{Outcome, RunOptions, run},
    stored::StoredViews,
};
use projection_core::{EventStore, ViewStore, memory::InMemoryViews};

use crate::{
    args::Args,
    bar::ReplayBar,
    data::{DataError, Flights},
};

#[tokio::main]
async fn main() -> ExitCode {
    match report(&Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
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

async fn report(args: &Args) -> Result<(), Box<dyn Error>> {
    match &args.mongo {
        None => in_memory(args).await,
        Some(uri) => in_mongo(args, uri).await,
    }
}

async fn in_memory(args: &Args) -> Result<(), Box<dyn Error>> {
    let Flights { history, malformed, first_malformed } = read(args)?;
    let options = RunOptions { events: history.len(), malformed, batch_size: batch_size(args) };
    let events = memory::events_of(&history)?;
    drop(history);
    let views = InMemoryViews::new();
    replay(events, views.clone(), &views, options, &first_malformed).await
}

async fn in_mongo(args: &Args, uri: &str) -> Result<(), Box<dyn Error>> {
    let database = FlightsDatabase::connect(uri, &args.database).await?;
    let outcome = in_database(args, &database).await;
    database.disconnect().await;
    outcome
}

async fn in_database(args: &Args, database: &FlightsDatabase) -> Result<(), Box<dyn Error>> {
    if args.reset {
        database.reset().await?;
    }
    let mut read_now = None;
    if !args.replay_only {
        let Flights { history, malformed, first_malformed } = read(args)?;
        read_now = Some((malformed, first_malformed));
        let began = Instant::now();
        let bar = bar::import_bar(history.len());
        let imported = database.import(&history, malformed, || bar.inc(1)).await;
        bar.finish_and_clear();
        if imported? {
            eprintln!("{} events imported in {:.1} s", history.len(), began.elapsed().as_secs_f64());
        } else {
            eprintln!("the history is in the database already");
        }
    }
    if args.rebuild {
        database.drop_views().await?;
    }
    let held = database.held_whole().await?;
    let (malformed, first_malformed) = read_now.unwrap_or((held.malformed, Vec::new()));
    let options = RunOptions { events: held.events, malformed, batch_size: batch_size(args) };
    replay(database.events().await?, database.views(), database, options, &first_malformed).await
}

fn read(args: &Args) -> Result<Flights, DataError> {
    let path = data::file(args.data.as_deref())?;
    let flights = data::read(&path, |row| eprintln!("{}: {row}", path.display()))?;
    Ok(Flights { history: flights.history.with_copies(args.copies), ..flights })
}

fn batch_size(args: &Args) -> Option<usize> {
    args.batch_size.map(Into::into)
}

async fn replay<E: EventStore, V: ViewStore>(
    events: E,
    views: V,
    stored: &impl StoredViews,
    options: RunOptions,
    malformed: &[Malformed],
) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let mut bar = None;
    let outcome = run(events, views, stored, options, |views| bar = Some(ReplayBar::of(views))).await;
    if let Some(bar) = bar {
        bar.finish();
    }
    let Outcome { figures, summary } = outcome?;
    let (events, took) = (summary.events, began.elapsed().as_secs_f64());
    eprintln!("{events} events replayed and the views read back in {took:.1} s");
    let report = Report { figures: &figures, summary: &summary, malformed }.to_string();
    match io::stdout().write_all(report.as_bytes()) {
        // Who reads the first lines only has what it wanted.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

//! Events and views in one SQLite file.

use std::{error::Error, time::Duration, time::Instant};

use flights::{
    replay::ReplayOptions,
    run::RunOptions,
    sqlite::{FlightsFile, Imported},
};
use tokio_util::sync::CancellationToken;

use super::AllMalformed;
use crate::{
    args::Args,
    bar,
    data::{self, Flights},
    replaying::replay,
    stopping::Stopped,
};

/// Nobody but who started it waits for the next run after a kill.
const LEASE: Duration = Duration::from_secs(3);

pub(super) async fn run(args: &Args, stop: &CancellationToken) -> Result<(), Box<dyn Error>> {
    let flights = data::file(args.data.as_deref())?;
    let path = args.sqlite.clone().unwrap_or_else(|| data::database(&flights, args.copies));
    let mut file = FlightsFile::open(&path).await?;
    eprintln!("events and views are in {}", path.display());
    if args.reset {
        file = file.reset().await?;
    }
    let read_now = if args.replay_only { None } else { Some(import(args, &flights, &file, stop).await?) };
    if args.rebuild {
        file.drop_views().await?;
    }
    let held = file.held_whole().await?;
    let (malformed, first_malformed) = read_now.unwrap_or((held.malformed, Vec::new()));
    let how = ReplayOptions { lease: Some(LEASE), ..super::options(args, stop) };
    let options = RunOptions { events: held.events, malformed, replay: how };
    replay(file.events(), file.views(), &file, options, &first_malformed).await
}

/// Imports what is not there yet.
async fn import(
    args: &Args,
    flights: &std::path::Path,
    file: &FlightsFile,
    stop: &CancellationToken,
) -> Result<AllMalformed, Box<dyn Error>> {
    let Flights { history, malformed, first_malformed } = super::read(args, flights)?;
    let began = Instant::now();
    let bar = bar::import_bar(history.len());
    let imported = file.import(&history, malformed, stop, |there| bar.set_position(there)).await;
    bar.finish_and_clear();
    let (all, took) = (history.len(), began.elapsed().as_secs_f64());
    match imported? {
        Imported::Before => eprintln!("the history is in the file already"),
        Imported::Now { after: 0 } => eprintln!("{all} events imported in {took:.1} s"),
        Imported::Now { after } => {
            eprintln!("the import went on after event {after} of {all}: imported in {took:.1} s");
        }
        Imported::Stopped { after } => {
            eprintln!("{after} of {all} events are imported");
            return Err(Stopped.into());
        }
    }
    Ok((malformed, first_malformed))
}

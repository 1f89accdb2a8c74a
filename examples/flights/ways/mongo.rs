//! Events and views in MongoDB.

use std::{error::Error, time::Instant};

use flights::{mongo::FlightsDatabase, run::RunOptions};
use tokio_util::sync::CancellationToken;

use super::AllMalformed;
use crate::{
    args::Args,
    bar,
    data::{self, Flights},
    replaying::replay,
    stopping::Stopped,
};

pub(super) async fn run(args: &Args, uri: &str, stop: &CancellationToken) -> Result<(), Box<dyn Error>> {
    let database = FlightsDatabase::connect(uri, &args.database).await?;
    let outcome = in_database(args, &database, stop).await;
    database.disconnect().await;
    outcome
}

async fn in_database(
    args: &Args,
    database: &FlightsDatabase,
    stop: &CancellationToken,
) -> Result<(), Box<dyn Error>> {
    if args.reset {
        database.reset().await?;
    }
    let read_now = if args.replay_only { None } else { Some(import(args, database, stop).await?) };
    if args.rebuild {
        database.drop_views().await?;
    }
    let held = database.held_whole().await?;
    let (malformed, first_malformed) = read_now.unwrap_or((held.malformed, Vec::new()));
    let options = RunOptions { events: held.events, malformed, replay: super::options(args, stop) };
    replay(database.events().await?, database.views(), database, options, &first_malformed).await
}

/// Imports what is not there yet. An import that was stopped is begun again.
async fn import(
    args: &Args,
    database: &FlightsDatabase,
    stop: &CancellationToken,
) -> Result<AllMalformed, Box<dyn Error>> {
    let path = data::file(args.data.as_deref())?;
    let Flights { history, malformed, first_malformed } = super::read(args, &path)?;
    let began = Instant::now();
    let bar = bar::import_bar(history.len());
    let imported = tokio::select! {
        imported = database.import(&history, malformed, || bar.inc(1)) => Some(imported),
        () = stop.cancelled() => None,
    };
    bar.finish_and_clear();
    if imported.ok_or(Stopped)?? {
        eprintln!("{} events imported in {:.1} s", history.len(), began.elapsed().as_secs_f64());
    } else {
        eprintln!("the history is in the database already");
    }
    Ok((malformed, first_malformed))
}

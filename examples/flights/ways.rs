//! Where events and views are kept: a SQLite file, memory, or MongoDB.

mod memory;
mod mongo;
mod sqlite;

use std::{error::Error, path::Path};

use flights::{input::Malformed, replay::ReplayOptions};
use tokio_util::sync::CancellationToken;

use crate::{
    args::Args,
    data::{self, DataError, Flights},
};

/// Goes the way that the command line names.
pub(crate) async fn go(args: &Args, stop: &CancellationToken) -> Result<(), Box<dyn Error>> {
    match &args.mongo {
        Some(uri) => mongo::run(args, uri, stop).await,
        None if args.memory => memory::run(args, stop).await,
        None => sqlite::run(args, stop).await,
    }
}

fn read(args: &Args, path: &Path) -> Result<Flights, DataError> {
    let flights = data::read(path, |row| eprintln!("{}: {row}", path.display()))?;
    Ok(Flights { history: flights.history.with_copies(args.copies), ..flights })
}

fn options(args: &Args, stop: &CancellationToken) -> ReplayOptions {
    let batch_size = args.batch_size.map(Into::into);
    ReplayOptions { batch_size, stop: stop.clone(), ..ReplayOptions::default() }
}

/// Malformed rows: how many, and the first few where they were read in this run.
type AllMalformed = (u64, Vec<Malformed>);

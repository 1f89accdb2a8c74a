//! The command line.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Parser, builder::RangedU64ValueParser};
use flights::history::FlightHistory;

/// The flights that left New York in 2013: an event history, seven views of it, and a report from the views.
#[derive(Debug, Parser)]
#[command(name = "flights")]
pub(crate) struct Args {
    /// The flights: a CSV file of the columns of the data set nycflights13, or `full` for the whole year, which
    /// `cargo xtask data` brings [default: the first week of the year, which is in the repository]
    #[arg(long, value_name = "FILE")]
    pub(crate) data: Option<PathBuf>,

    /// Keep events and views in this SQLite file [default: a file in the folder `data`, named as the flights]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["memory", "mongo"])]
    pub(crate) sqlite: Option<PathBuf>,

    /// Keep events and views in memory only
    #[arg(long, conflicts_with = "mongo")]
    pub(crate) memory: bool,

    /// Keep events and views in this MongoDB: mongodb://127.0.0.1:27017
    #[arg(long, value_name = "URI")]
    pub(crate) mongo: Option<String>,

    /// The database in that MongoDB
    #[arg(long, value_name = "NAME", default_value = "flights", requires = "mongo")]
    pub(crate) database: String,

    /// Drop what an earlier run left, events and views, and begin anew
    #[arg(long, conflicts_with_all = ["memory", "replay_only", "rebuild"])]
    pub(crate) reset: bool,

    /// Drop the views that an earlier run left, and replay the whole history
    #[arg(long, conflicts_with = "memory")]
    pub(crate) rebuild: bool,

    /// Read no flights and import nothing: replay the history that is there
    #[arg(long, conflicts_with_all = ["memory", "data", "copies"])]
    pub(crate) replay_only: bool,

    /// Events that make a batch, for every view, instead of what each view says
    #[arg(long, value_name = "N")]
    pub(crate) batch_size: Option<NonZeroUsize>,

    /// Make the history longer: the same flights so many times, one time after another
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = RangedU64ValueParser::<u32>::new().range(1..=u64::from(FlightHistory::MAX_COPIES)))]
    pub(crate) copies: u32,
}

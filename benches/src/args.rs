//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use serde::Serialize;

/// How fast a history becomes a view, beside the ways that are written by hand and the floors of the database.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench replay")]
pub struct Args {
    /// The MongoDB that is measured
    #[arg(long, value_name = "URI", default_value = "mongodb://127.0.0.1:27017")]
    pub(crate) mongo: String,

    /// The store that holds events and views
    #[arg(long, value_enum, default_value_t = StoreKind::Mongo)]
    pub(crate) store: StoreKind,

    /// Where the histories in SQLite are kept
    #[arg(long, value_name = "DIRECTORY", default_value = "target/bench")]
    pub(crate) cache: PathBuf,

    /// Events in the made-up history
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=u64::from(u32::MAX)))]
    pub(crate) events: u64,

    /// Over how many instances they are spread; a table for each
    #[arg(long, value_name = "K", value_delimiter = ',', default_values_t = [1_000, 100_000, 1_000_000],
          value_parser = clap::value_parser!(u64).range(1..=u64::from(u32::MAX)))]
    pub(crate) instances: Vec<u64>,

    /// Bytes of an event, as it is stored
    #[arg(long, value_name = "N", default_value_t = 330)]
    pub(crate) event_bytes: usize,

    /// The batch size of ours with default options, instead of the default
    #[arg(long, value_name = "N")]
    pub(crate) batch_size: Option<usize>,

    /// The memory budget of ours with the options of a rebuild, in MiB, instead of the recommended one
    #[arg(long, value_name = "MIB")]
    pub(crate) memory_budget: Option<usize>,

    /// Whether the view is empty at first, or every instance is there
    #[arg(long, value_enum, default_value_t = TargetKind::Empty)]
    pub(crate) target: TargetKind,

    /// The write concern of the plain batch and of the insert floor; ours is always `majority`
    #[arg(long, value_enum, default_value_t = Concern::Majority)]
    pub(crate) write_concern: Concern,

    /// How often each way is measured
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,

    /// How many events the per-event way is measured on
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    pub(crate) sample: u64,

    /// What the history is made from
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub(crate) seed: u64,

    /// Drop the made-up history afterwards, instead of keeping it for the next run
    #[arg(long)]
    pub(crate) forget: bool,

    /// Also replay the flights in this CSV file, each view alone and all together
    #[arg(long, value_name = "FILE")]
    pub(crate) flights: Option<PathBuf>,

    /// Only the flights
    #[arg(long, requires = "flights")]
    pub(crate) only_flights: bool,

    /// End with one line that is a JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Draw the events a second into this SVG file
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,

    /// One measured run, as this benchmark starts it
    #[arg(long, hide = true)]
    pub(crate) child: Option<String>,
}

/// The stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StoreKind {
    /// Events and views in MongoDB
    Mongo,
    /// Events in one SQLite file, views in another
    Sqlite,
}

/// What is in the view at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TargetKind {
    /// Nothing
    Empty,
    /// Every instance
    Filled,
}

/// When a write counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Concern {
    /// It is in the journals of a majority
    Majority,
    /// The primary has it in memory
    One,
}

//! Measurements, whose figures stand in the docs beside the command that gave them.

mod append;
mod live;
mod memory;
mod peak;
mod program;
mod replay;

use anyhow::Result;
use clap::Subcommand;

use crate::interrupt::Signals;

/// What is measured.
#[derive(Subcommand)]
pub(crate) enum Bench {
    /// Peak memory of a replay of the flights of the year, all views, into MongoDB
    Memory {
        /// How often the year is repeated; a run for each
        #[arg(long, value_delimiter = ',', default_values_t = [1, 10])]
        copies: Vec<u32>,
    },
    /// Appends a second into MongoDB, beside plain transactional inserts and other ways to give out positions
    Append {
        /// Handed to the benchmark, such as `--writers 1,8 --events 10 --dead`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        flags: Vec<String>,
    },
    /// The speed of a replay, beside the ways that are written by hand and the floors of the database; `--help` shows
    /// the flags
    #[command(disable_help_flag = true)]
    Replay {
        /// Handed to the benchmark; `--no-flights` leaves out the flights of the year
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        flags: Vec<String>,
    },
    /// How soon an append is in a view, beside the server's change stream, and what a load costs; `--help` shows the flags
    #[command(disable_help_flag = true)]
    Live {
        /// Handed to the benchmark
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        flags: Vec<String>,
    },
}

pub(crate) async fn run(bench: Bench, signals: &mut Signals) -> Result<()> {
    match bench {
        Bench::Memory { copies } => memory::run(&copies, signals).await,
        Bench::Append { flags } => append::run(&flags, signals).await,
        Bench::Live { flags } => live::run(flags, signals).await,
        Bench::Replay { flags } => replay::run(flags, signals).await,
    }
}

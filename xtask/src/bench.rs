//! Measurements, whose figures stand in the docs beside the command that gave them.

mod memory;
mod peak;

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
}

pub(crate) async fn run(bench: Bench, signals: &mut Signals) -> Result<()> {
    match bench {
        Bench::Memory { copies } => memory::run(&copies, signals).await,
    }
}

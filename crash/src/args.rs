//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::order::Mutant;

/// Kills a replay of the flights wherever it can, and compares its views with those of one that nobody killed.
#[derive(Debug, Parser)]
#[command(name = "crash")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Kills, restarts, compares
    Run(RunArgs),
    /// The process that is killed
    #[command(hide = true)]
    Child {
        /// An order, as JSON
        order: String,
    },
    /// The views of a replay that nobody kills, as JSON
    #[command(hide = true)]
    Reference {
        /// The CSV file
        data: PathBuf,
        /// Where they go
        out: PathBuf,
    },
}

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct RunArgs {
    /// Which store
    #[arg(long)]
    pub(crate) store: Option<Kind>,
    /// How many runs, each with the seed after the last one's
    #[arg(long, default_value_t = 20)]
    pub(crate) runs: u64,
    /// The seed of the first run
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The flights, a CSV file
    #[arg(long)]
    pub(crate) data: PathBuf,
    /// The program `mongod`
    #[arg(long)]
    pub(crate) mongod: Option<PathBuf>,
    /// Append the second half of the flights while the first is replayed
    #[arg(long, conflicts_with = "mutate")]
    pub(crate) live: bool,
    /// Break a mechanism on purpose, and succeed if wrong views are reported
    #[arg(long, value_name = "NAME", conflicts_with = "store")]
    pub(crate) mutate: Option<Broken>,
    /// Put the result on the last line, as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Keep what each run showed in a file, and count those that it holds already instead of running them again
    #[arg(long, value_name = "FILE", conflicts_with = "mutate")]
    pub(crate) record: Option<PathBuf>,
    /// Leave the folder of the runs where it is
    #[arg(long)]
    pub(crate) keep: bool,
}

/// Which mechanism is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Broken {
    /// Each, one after another
    All,
    /// Writes do not compare positions
    Guard,
    /// The checkpoint is stored before the batch
    Checkpoint,
    /// The fence is read, not written
    Fence,
    /// Deletes leave no tombstone
    Tombstone,
    /// The collection takes documents of former owners
    Epoch,
    /// Loads hide the position, so that no event is seen to be applied already
    Duplicates,
}

impl Broken {
    pub(crate) fn mutants(self) -> Vec<Mutant> {
        match self {
            Self::All => Mutant::ALL.into(),
            Self::Guard => vec![Mutant::Guard],
            Self::Checkpoint => vec![Mutant::Checkpoint],
            Self::Fence => vec![Mutant::Fence],
            Self::Tombstone => vec![Mutant::Tombstone],
            Self::Epoch => vec![Mutant::Epoch],
            Self::Duplicates => vec![Mutant::Duplicates],
        }
    }
}

/// A kind of store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A replica set of one: with transactions
    Mongo,
    /// A server alone: without transactions
    MongoStandalone,
    /// A file
    Sqlite,
}

impl Kind {
    pub(crate) fn has_transactions(self) -> bool {
        self != Self::MongoStandalone
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mongo => "mongo",
            Self::MongoStandalone => "mongo-standalone",
            Self::Sqlite => "sqlite",
        }
    }
}

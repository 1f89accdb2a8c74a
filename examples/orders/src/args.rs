//! The command line.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::Parser;

/// A small service that takes orders over HTTP, records them as events, and shows two views of them.
#[derive(Debug, Parser)]
#[command(name = "orders")]
pub(crate) struct Args {
    /// Where to listen; port 0 takes a free one. The first line of the output says which
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub(crate) listen: SocketAddr,

    /// Keep events and views in this SQLite file [default: data/orders.db in the project's folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) sqlite: Option<PathBuf>,

    /// Keep events and views in this MongoDB, a replica set: mongodb://127.0.0.1:27017
    #[arg(long, value_name = "URI", conflicts_with = "sqlite")]
    pub(crate) mongo: Option<String>,

    /// The database in that MongoDB
    #[arg(long, value_name = "NAME", default_value = "orders", requires = "mongo")]
    pub(crate) database: String,

    /// How many seconds after the end of a process another one takes its views over
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    lease: u64,
}

impl Args {
    /// How long a process owns a view without a sign of life.
    pub(crate) fn lease(&self) -> Duration {
        Duration::from_secs(self.lease)
    }
}

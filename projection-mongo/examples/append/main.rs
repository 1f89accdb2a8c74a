//! How many appends a second, beside plain transactional inserts and beside the other ways to give out positions:
//! `cargo xtask bench append`.

#![allow(clippy::print_stdout, reason = "it talks to a person")]

mod by_hand;
mod dead;
mod measure;
mod report;
mod way;

use std::{collections::HashMap, time::Duration};

use clap::Parser;
use mongodb::{Client, Database};

use self::{measure::Measured, way::Way};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Measures appends.
#[derive(Parser)]
struct Args {
    /// A replica set
    #[arg(long)]
    mongo: String,
    /// How many appenders there are at once; a row for each
    #[arg(long, value_delimiter = ',', default_values_t = [1, 8])]
    writers: Vec<usize>,
    /// How many events an append has
    #[arg(long, default_value_t = 1)]
    events: usize,
    /// How often everything is measured; what is shown are medians
    #[arg(long, default_value_t = 7)]
    repeats: usize,
    /// How long each measurement takes, in seconds
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Also what others see when an appender dies in the middle of its transaction; takes a minute more
    #[arg(long)]
    dead: bool,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let database = Client::with_uri_str(&args.mongo).await?.database("bench_append");
    let measured = measure(&args, &database).await;
    let dead = if args.dead { Some(dead::measure(&database).await?) } else { None };
    database.drop().await?;
    report::print(&args, &measured?, dead);
    Ok(())
}

/// Everything, again and again, each way beside the others.
async fn measure(args: &Args, database: &Database) -> Result<HashMap<(usize, Way), Vec<Measured>>> {
    let mut all: HashMap<_, Vec<Measured>> = HashMap::new();
    for _ in 0..args.repeats {
        for writers in &args.writers {
            for way in Way::ALL {
                database.drop().await?;
                let duration = Duration::from_secs_f64(args.seconds);
                let measured = measure::measure(database, way, *writers, args.events, duration).await?;
                all.entry((*writers, way)).or_default().push(measured);
            }
        }
    }
    Ok(all)
}

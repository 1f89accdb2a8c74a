//! The live benchmark: how soon an append is in a view, beside the server's own change stream, and what a load costs.

mod idle;
mod load;

use std::sync::Arc;

use anyhow::Result;
use clap::Parser;
use projection_core::ProjectionRuntime;
use projection_mongo::{MongoEvents, MongoEventsOptions, MongoViews};
use serde_json::json;

use crate::{account::Account, mongo::Server};

/// How soon an append is in a view.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench live")]
pub struct LiveArgs {
    /// The MongoDB that is measured
    #[arg(long, value_name = "URI", default_value = "mongodb://127.0.0.1:27017")]
    mongo: String,

    /// How many appends are waited for, one after another; as many inserts are waited for in a change stream
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    appends: u32,

    /// Events a second under load
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(10..))]
    rate: u32,

    /// Seconds of load
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,

    /// End with one line that is a JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the benchmark, in a database of its own that is dropped afterwards.
///
/// # Errors
///
/// When the server cannot be reached, or an append is not applied.
pub async fn run_live(args: &LiveArgs) -> Result<()> {
    let (writing, reading) =
        (Server::connect(&args.mongo, false).await?, Server::connect(&args.mongo, true).await?);
    let name = format!("bench-live-{}", std::process::id());
    let measured = measure(args, &writing, &reading, &name).await;
    writing.database(&name).drop().await?;
    measured
}

async fn measure(args: &LiveArgs, writing: &Server, reading: &Server, name: &str) -> Result<()> {
    let options = MongoEventsOptions::new();
    let appending = MongoEvents::open(&writing.database(name), "events", options.clone()).await?;
    // Two clients: what the runtime sends is counted without what the writers send.
    let source = MongoEvents::open(&reading.database(name), "events", options).await?;
    let runtime = ProjectionRuntime::builder(source, MongoViews::new(reading.database(name)));
    let runtime = runtime.register::<Account>().start().await?;
    let runtime = Arc::new(runtime);
    runtime.caught_up().await?;

    let idle = idle::measure(&writing.database(name), &appending, &runtime, args.appends).await?;
    let load = load::measure(&appending, &runtime, reading, args.rate, args.seconds).await?;
    runtime.shutdown().await;

    println!("idle, {} each, in ms                     median    p99", args.appends);
    println!("  a change stream tells of an insert    {:>7.2} {:>7.2}", idle.raw.median, idle.raw.p99);
    println!("  an append is readable in the view     {:>7.2} {:>7.2}", idle.ours.median, idle.ours.p99);
    let (median, p99) = (idle.ours.median / idle.raw.median, idle.ours.p99 / idle.raw.p99);
    println!("  ratio                                 {median:>7.2} {p99:>7.2}");
    println!("load, {} events a second for {} s", args.rate, args.seconds);
    println!("  appended                              {:>7.0} events a second", load.rate);
    println!(
        "  lag                                   {:>7.0} events in the median, {} at most",
        load.lag_median, load.lag_most
    );
    println!(
        "  from append to view, in ms            {:>7.2} {:>7.2}",
        load.latency_ms.median, load.latency_ms.p99
    );
    println!("  round trips of the runtime an event   {:>7.3}", load.round_trips);
    if args.json {
        let line = json!({
            "idle_ms": { "change_stream": idle.raw, "ours": idle.ours },
            "vs_change_stream": { "median": median, "p99": p99 },
            "load": load,
        });
        println!("{line}");
    }
    Ok(())
}

/// Of many times, in milliseconds.
#[derive(Debug, Clone, Copy, serde::Serialize)]
struct Times {
    median: f64,
    p99: f64,
}

impl Times {
    /// Of at least one.
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |share: usize| values.get((values.len() * share / 100).min(values.len().saturating_sub(1)));
        let at = |share| at(share).copied().unwrap_or(f64::NAN);
        Self { median: at(50), p99: at(99) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_99th_percentile_has_one_in_a_hundred_above_it() {
        let times = Times::of((1..=200).map(f64::from).collect());
        assert_eq!((times.median, times.p99), (101.0, 199.0));
    }
}

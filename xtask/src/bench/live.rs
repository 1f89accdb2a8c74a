//! The live benchmark, with the server that it needs.

use anyhow::{Result, bail};

use crate::{
    cargo::{self, cargo},
    interrupt::Signals,
    services::{self, InUse},
};

/// Builds the benchmark, brings a server unless one is named, and runs it with these flags.
pub(crate) async fn run(mut flags: Vec<String>, signals: &mut Signals) -> Result<()> {
    let needs_none =
        |flag: &String| ["--help", "-h", "--mongo"].contains(&flag.as_str()) || flag.starts_with("--mongo=");
    if flags.iter().any(needs_none) {
        return benchmark(&flags, signals).await;
    }
    let in_use = signals.or(InUse::announce()).await?;
    let up = signals.or(services::up()).await?;
    flags.extend(["--mongo".to_owned(), up.uri]);
    let result = benchmark(&flags, signals).await;
    if up.started
        && let Some(_nobody_begins) = in_use.end()?
    {
        services::down().await?;
    }
    result
}

async fn benchmark(flags: &[String], signals: &mut Signals) -> Result<()> {
    let run = ["run", "--release", "--package", "benches", "--bin", "live", "--"];
    let ended = cargo::run(cargo(run.into_iter().chain(flags.iter().map(String::as_str))), signals).await?;
    if !ended.success() {
        bail!("the benchmark ended with {ended}");
    }
    Ok(())
}

//! Appends a second, with the server that is needed.

use anyhow::{Result, bail};

use crate::{
    cargo::{self, cargo},
    interrupt::Signals,
    services::{self, InUse},
};

/// Builds the benchmark and runs it with these flags, on a server that it brings; the last line is one JSON object.
pub(crate) async fn run(flags: &[String], signals: &mut Signals) -> Result<()> {
    let in_use = signals.or(InUse::announce()).await?;
    let up = signals.or(services::up()).await?;
    let run =
        ["run", "--release", "--package", "projection-mongo", "--example", "append", "--", "--mongo", &up.uri];
    let ended = cargo::run(cargo(run.into_iter().chain(flags.iter().map(String::as_str))), signals).await;
    if up.started
        && let Some(_nobody_begins) = in_use.end()?
    {
        services::down().await?;
    }
    let ended = ended?;
    if !ended.success() {
        bail!("the benchmark ended with {ended}");
    }
    Ok(())
}

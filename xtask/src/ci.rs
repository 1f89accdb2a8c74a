//! What CI runs, step by step; the first failure ends it.

mod drivers;
mod last_line;

use std::process::ExitStatus;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::cargo::{self, cargo};
use crate::crash::{self, Crash};
use crate::interrupt::Signals;
use crate::{paths, test};

/// How often each store is crashed.
const CRASHES: u64 = 6;

/// How often with live traffic.
const LIVE_CRASHES: u64 = 3;

/// Runs all steps in order.
pub(crate) async fn run(signals: &mut Signals) -> Result<()> {
    step("format", async { succeeded(cargo::run(cargo(["fmt", "--all", "--check"]), signals).await?) }).await?;
    step("lints", async {
        let args = ["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
        succeeded(cargo::run(cargo(args), signals).await?)
    })
    .await?;
    step("docs", async {
        let mut command = cargo(["doc", "--workspace", "--no-deps", "--all-features"]);
        command.env("RUSTDOCFLAGS", "-D warnings");
        succeeded(cargo::run(command, signals).await?)
    })
    .await?;
    step("no database driver in the core", async {
        let mut command =
            cargo(["tree", "-p", "projection-core", "-e", "normal", "--all-features", "--prefix", "none"]);
        let output = signals.or(async { Ok(command.output().await?) }).await?;
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        succeeded(output.status)?;
        drivers::refuse(&String::from_utf8_lossy(&output.stdout))
    })
    .await?;
    step("tests", async { succeeded(test::run(&[], signals).await?) }).await?;
    step("the flights example", async {
        let mut command = cargo(["run", "--release", "--example", "flights", "--", "--reset", "--sqlite"]);
        // The whole way, and not in the file that a person looks into.
        command.arg(paths::state_dir()?.join("ci-flights.db"));
        let (status, lines) = cargo::run_and_read(command, signals).await?;
        succeeded(status)?;
        last_line::check(&lines)
    })
    .await?;
    step("replays that are killed", async {
        for store in ["mongo", "mongo-standalone", "sqlite"] {
            succeeded(crash::run(&Crash::short(store, CRASHES), signals).await?)?;
            succeeded(crash::run(&Crash::short_and_live(store, LIVE_CRASHES), signals).await?)?;
        }
        Ok(())
    })
    .await?;
    step("mechanisms that are broken", async { succeeded(crash::run(&Crash::all_mutants(), signals).await?) }).await
}

async fn step(name: &str, work: impl Future<Output = Result<()>>) -> Result<()> {
    eprintln!("── {name}");
    let start = Instant::now();
    let result = work.await;
    eprintln!("── {name}: {:.1} s", start.elapsed().as_secs_f64());
    result.with_context(|| format!("CI failed in the step: {name}"))
}

fn succeeded(status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("cargo ended with {status}");
    }
    Ok(())
}

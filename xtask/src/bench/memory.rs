//! Whether the memory of a replay grows with the history: the flights once, and repeated.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tokio::process::Command;

use super::peak;
use crate::{
    cargo::{self, cargo},
    data,
    interrupt::Signals,
    paths, services,
};

/// Replays the year `copies` times over, for each of `copies`, and prints the peaks; the last line is one JSON object.
pub(crate) async fn run(copies: &[u32], signals: &mut Signals) -> Result<()> {
    let year = signals.or(data::year()).await?;
    let built = cargo::run(cargo(["build", "--release", "--example", "flights"]), signals).await?;
    if !built.success() {
        bail!("cargo ended with {built}");
    }
    let up = signals.or(services::up()).await?;
    let mut rows = Vec::new();
    let measured = async {
        for copies in copies {
            rows.push(one(*copies, &up.uri, &year, signals).await?);
        }
        anyhow::Ok(())
    }
    .await;
    if up.started {
        services::down().await?;
    }
    measured?;
    println!("{:>8} {:>12} {:>10}", "copies", "events", "peak MB");
    for row in &rows {
        println!("{:>8} {:>12} {:>10}", row["copies"], row["events"], row["peak_mb"]);
    }
    println!("{}", json!({ "memory": rows }));
    Ok(())
}

/// Imports first, in a process of its own: only the replay is measured.
async fn one(copies: u32, uri: &str, year: &std::path::Path, signals: &mut Signals) -> Result<Value> {
    let flights = || {
        let mut command = Command::new(paths::target_dir().join("release/examples/flights"));
        command.args(["--mongo", uri, "--database", &format!("bench_memory_{copies}")]).process_group(0);
        command
    };
    let mut import = flights();
    import.arg("--reset").arg("--data").arg(year).args(["--copies", &copies.to_string()]);
    let (imported, _) = cargo::run_and_read(import, signals).await?;
    if !imported.success() {
        bail!("the import ended with {imported}");
    }
    let mut replay = flights();
    replay.args(["--replay-only", "--rebuild"]);
    let (peak, output) = peak::of(replay, signals).await?;
    let last = output.lines().last().context("the replay printed nothing")?;
    let summary: Value = serde_json::from_str(last).context("the replay's last line is no JSON")?;
    Ok(json!({ "copies": copies, "events": summary["events"], "peak_mb": peak.div_ceil(1_000_000) }))
}

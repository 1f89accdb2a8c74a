//! The live benchmark, with the server that it needs.

use anyhow::Result;

use super::program::Program;
use crate::interrupt::Signals;

/// Builds the benchmark, brings a server unless one is named, and runs it with these flags.
pub(crate) async fn run(flags: Vec<String>, signals: &mut Signals) -> Result<()> {
    let live = Program("benches", "--bin", "live");
    let needs_none =
        |flag: &String| ["--help", "-h", "--mongo"].contains(&flag.as_str()) || flag.starts_with("--mongo=");
    if flags.iter().any(needs_none) {
        return live.run(&flags, signals).await;
    }
    live.run_on_a_server(flags, None, signals).await
}

//! Appends a second, with the server that is needed.

use anyhow::Result;

use super::program::Program;
use crate::interrupt::Signals;

/// Builds the benchmark and runs it with these flags, on a server that it brings; the last line is one JSON object.
pub(crate) async fn run(flags: &[String], signals: &mut Signals) -> Result<()> {
    Program("projection-mongo", "--example", "append").run_on_a_server(flags.to_vec(), None, signals).await
}

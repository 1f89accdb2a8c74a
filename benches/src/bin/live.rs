//! The command line of the live benchmark. `cargo xtask bench live` builds it, brings the server and calls it.

#![allow(clippy::print_stderr, reason = "a command line talks to a person")]

use std::process::ExitCode;

use benches::{LiveArgs, run_live};
use clap::Parser;

#[tokio::main]
async fn main() -> ExitCode {
    match run_live(&LiveArgs::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

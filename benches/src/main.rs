//! The command line of the replay benchmark. `cargo xtask bench replay` builds it, brings the server and calls it.

#![allow(clippy::print_stderr, reason = "a command line talks to a person")]

use std::process::ExitCode;

use benches::{Args, run};
use clap::Parser;

#[tokio::main]
async fn main() -> ExitCode {
    match run(&Args::parse()).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

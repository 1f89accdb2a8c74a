//! A real process replays the flights into a real store, is killed at random moments and at every named step, and is
//! started again until it is done; then every view must equal that of a replay that nobody killed.
//!
//! `cargo xtask crash` builds it and brings what it needs; `docs/crash.md` says what it shows.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program talks to the one who started it")]

mod args;
mod child;
mod driver;
mod journal;
mod order;
mod random;
mod views;
mod writing;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};

use crate::args::{Args, Command};

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    match run(Args::parse().command).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Child { order } => child::run(serde_json::from_str(&order)?).await,
        Command::Reference { data, out } => driver::reference(&data, &out).await,
        Command::Run(args) => {
            let (mut interrupt, mut terminate) =
                (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
            // What is dropped ends its processes and removes its folders.
            tokio::select! {
                result = driver::run(&args) => result,
                _ = interrupt.recv() => Ok(130.into()),
                _ = terminate.recv() => Ok(143.into()),
            }
        }
    }
}

//! The command line of `cargo xtask`: the project's chores, none of which needs more than Rust and Python.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line talks to a person")]

mod archive;
mod bench;
mod cargo;
mod checksum;
mod ci;
mod crash;
mod data;
mod interrupt;
mod paths;
mod pip;
mod services;
mod test;
mod whole_file;

use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::interrupt::{Interrupted, Signals};

/// The project's chores.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs every test, with the services that they need
    Test {
        /// Handed to `cargo test`; behind a second `--`, to the tests
        #[arg(last = true)]
        args: Vec<String>,
    },
    /// The servers that tests need
    #[command(subcommand)]
    Services(Services),
    /// Brings the flights of the whole year to data/flights.csv
    Data {
        /// Cut the sample in the repository out of the whole year
        #[arg(long)]
        sample: bool,
    },
    /// Measures
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Kills a replay of the flights wherever it can, and compares its views with those of one that nobody killed
    Crash(crash::Crash),
    /// Runs what CI runs
    Ci,
}

#[derive(Subcommand)]
enum Services {
    /// Starts a MongoDB if none is named or running; the last line is its URI
    Up,
    /// Ends what `up` started
    Down,
    /// Says what runs; exit code 1 if nothing does that can be used
    Status,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run(Cli::parse().command).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            error.downcast_ref::<Interrupted>().map_or(ExitCode::FAILURE, |signal| signal.exit_code().into())
        }
    }
}

async fn run(command: Command) -> Result<ExitCode> {
    let mut signals = Signals::listen()?;
    match command {
        Command::Test { args } => return Ok(code_of(test::run(&args, &mut signals).await?)),
        Command::Services(Services::Up) => println!("{}", signals.or(services::up()).await?.uri),
        Command::Services(Services::Down) => signals.or(services::down()).await?,
        Command::Services(Services::Status) if signals.or(services::status()).await? => {}
        Command::Services(Services::Status) => return Ok(ExitCode::FAILURE),
        Command::Data { sample: false } => println!("{}", signals.or(data::year()).await?.display()),
        Command::Data { sample: true } => println!("{}", signals.or(data::week()).await?.display()),
        Command::Bench(bench) => bench::run(bench, &mut signals).await?,
        Command::Crash(crash) => return Ok(code_of(crash::run(&crash, &mut signals).await?)),
        Command::Ci => ci::run(&mut signals).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The exit code that a shell would give.
fn code_of(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
}

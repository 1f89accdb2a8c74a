//! Cargo as a child in a process group of its own, so that a signal ends it with all that it started.

use std::env;
use std::ffi::OsStr;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::interrupt::{Interrupted, Signals};
use crate::paths;

/// How long a child may take to end after a signal.
const PATIENCE: Duration = Duration::from_secs(5);

/// A cargo command at the root of the workspace, with the cargo that runs us.
pub(crate) fn cargo(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(args).current_dir(paths::root()).stdin(Stdio::null()).process_group(0);
    if env::var_os("CARGO_TARGET_DIR").is_some() {
        // It may be relative to the folder we were called in.
        command.env("CARGO_TARGET_DIR", paths::target_dir());
    }
    command
}

/// Runs the command to its end, or to ours.
pub(crate) async fn run(mut command: Command, signals: &mut Signals) -> Result<ExitStatus> {
    let mut child = spawn(&mut command)?;
    tokio::select! {
        status = child.wait() => status.context("cannot wait for cargo"),
        signal = signals.next() => end(&mut child, signal, signals).await,
    }
}

/// Like [`run`], and gives the lines that the command wrote to its standard output, which are shown as they come.
pub(crate) async fn run_and_read(mut command: Command, signals: &mut Signals) -> Result<(ExitStatus, Vec<String>)> {
    let mut child = spawn(command.stdout(Stdio::piped()))?;
    let output = child.stdout.take().context("the child has no standard output")?;
    let read = async {
        let mut lines = BufReader::new(output).lines();
        let mut all = Vec::new();
        while let Some(line) = lines.next_line().await? {
            println!("{line}");
            all.push(line);
        }
        anyhow::Ok((child.wait().await?, all))
    };
    tokio::select! {
        result = read => result,
        signal = signals.next() => end(&mut child, signal, signals).await,
    }
}

fn spawn(command: &mut Command) -> Result<Child> {
    command.spawn().context("cannot run cargo")
}

/// Passes the signal on to the child's group and waits for it; a second signal, or none of its own accord, kills it.
async fn end<T>(child: &mut Child, signal: Signal, signals: &mut Signals) -> Result<T> {
    let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    if let Some(group) = group {
        // An error means that the group is gone already.
        _ = kill_process_group(group, signal);
        let ended = tokio::select! {
            ended = tokio::time::timeout(PATIENCE, child.wait()) => ended.is_ok(),
            _ = signals.next() => false,
        };
        if !ended {
            eprintln!("it does not end: killing it");
        }
        // What cargo started may outlive cargo.
        _ = kill_process_group(group, Signal::KILL);
        _ = child.wait().await;
    }
    Err(Interrupted(signal).into())
}

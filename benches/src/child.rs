//! A run in a process of its own: started, listened to, killed; and what that process does.

use std::{env, path::PathBuf, process::Stdio};

use anyhow::{Context, Result, bail};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

use crate::{
    flights,
    measure::Measured,
    mongo,
    spec::{Place, Spec, Work},
    sqlite,
};

/// A run that is under way.
pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) lines: Lines<BufReader<ChildStdout>>,
}

/// Starts a run.
pub(crate) fn start(spec: &Spec) -> Result<Running> {
    let mut command = Command::new(program()?);
    command.arg("--child").arg(serde_json::to_string(spec)?).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.kill_on_drop(true).spawn().context("cannot start a measured run")?;
    let output = child.stdout.take().context("the child has no standard output")?;
    Ok(Running { child, lines: BufReader::new(output).lines() })
}

/// Runs to the end.
pub(crate) async fn measured(spec: &Spec) -> Result<Measured> {
    start(spec)?.finished().await
}

impl Running {
    /// Waits for the end; the last line is what was measured.
    pub(crate) async fn finished(mut self) -> Result<Measured> {
        let mut last = None;
        while let Some(line) = self.lines.next_line().await? {
            last = Some(line);
        }
        let status = self.child.wait().await?;
        if !status.success() {
            bail!("a measured run ended with {status}");
        }
        let last = last.context("a measured run said nothing")?;
        serde_json::from_str(&last).with_context(|| format!("a measured run ended with the line {last:?}"))
    }
}

/// This program, also when its file was replaced since it was started.
fn program() -> Result<PathBuf> {
    let link = PathBuf::from("/proc/self/exe");
    if link.exists() { Ok(link) } else { Ok(env::current_exe()?) }
}

/// What the process does that was started.
pub(crate) async fn run(spec: &str) -> Result<()> {
    let spec: Spec = serde_json::from_str(spec).context("not what this benchmark tells its children")?;
    let measured = match (&spec.place, &spec.work) {
        (Place::Mongo { uri }, Work::Accounts { .. }) => mongo::run(uri, &spec).await?,
        (Place::Mongo { uri }, Work::Flights { view }) => flights::run(uri, view.as_deref(), &spec).await?,
        (Place::Sqlite { directory }, Work::Accounts { .. }) => sqlite::run(directory, &spec).await?,
        (Place::Sqlite { .. }, Work::Flights { .. }) => bail!("the flights are replayed in MongoDB only"),
    };
    println!("{}", serde_json::to_string(&measured)?);
    Ok(())
}

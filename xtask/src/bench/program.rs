//! A benchmark: a program of ours that is built in release, and the server that it is given.

use anyhow::{Result, bail};

use crate::{
    cargo::{self, cargo},
    interrupt::Signals,
    services::{self, InUse},
};

/// Which program: its package, the kind of its target, and the target.
pub(super) struct Program(pub(super) &'static str, pub(super) &'static str, pub(super) &'static str);

impl Program {
    /// Builds it and runs it with these flags.
    pub(super) async fn run(&self, flags: &[String], signals: &mut Signals) -> Result<()> {
        let Self(package, kind, target) = self;
        let run = ["run", "--release", "--package", package, kind, target, "--"];
        let ended = cargo::run(cargo(run.into_iter().chain(flags.iter().map(String::as_str))), signals).await?;
        if !ended.success() {
            bail!("the benchmark ended with {ended}");
        }
        Ok(())
    }

    /// The same on a server that is brought, and ended if this started it; `started` is said then.
    pub(super) async fn run_on_a_server(
        &self,
        mut flags: Vec<String>,
        started: Option<&str>,
        signals: &mut Signals,
    ) -> Result<()> {
        let in_use = signals.or(InUse::announce()).await?;
        let up = signals.or(services::up()).await?;
        if let Some(started) = started.filter(|_| up.started) {
            eprintln!("{started}");
        }
        flags.extend(["--mongo".to_owned(), up.uri]);
        let result = self.run(&flags, signals).await;
        if up.started
            && let Some(_nobody_begins) = in_use.end()?
        {
            services::down().await?;
        }
        result
    }
}

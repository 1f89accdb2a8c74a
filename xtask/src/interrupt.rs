//! Ctrl-C and its relatives: what was begun is put away before the process ends.

use anyhow::{Context, Result};
use tokio::signal::unix::{self, SignalKind};

/// The signals that ask this process to end, caught for as long as the process runs.
pub(crate) struct Signals {
    interrupt: unix::Signal,
    terminate: unix::Signal,
    hangup: unix::Signal,
}

/// A piece of work was given up because of a signal.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub(crate) struct Interrupted(pub(crate) rustix::process::Signal);

impl Interrupted {
    /// The exit code by which a shell recognizes a process that a signal ended.
    pub(crate) fn exit_code(&self) -> u8 {
        u8::try_from(128 + self.0.as_raw()).unwrap_or(1)
    }
}

impl Signals {
    /// Catches the signals from here on.
    pub(crate) fn listen() -> Result<Self> {
        let listen = |kind| unix::signal(kind).context("cannot listen for signals");
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for the next of them.
    pub(crate) async fn next(&mut self) -> rustix::process::Signal {
        tokio::select! {
            _ = self.interrupt.recv() => rustix::process::Signal::INT,
            _ = self.terminate.recv() => rustix::process::Signal::TERM,
            _ = self.hangup.recv() => rustix::process::Signal::HUP,
        }
    }

    /// Does the work, or drops it, and with it what it holds, at a signal.
    pub(crate) async fn or<T>(&mut self, work: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            result = work => result,
            signal = self.next() => Err(Interrupted(signal).into()),
        }
    }
}

//! The peak memory of a process, as the kernel counts it.

use std::{process::Stdio, time::Duration};

use anyhow::{Context, Result, bail};
use tokio::{
    io::AsyncReadExt,
    process::{Child, Command},
};

use crate::interrupt::Signals;

/// How often the kernel is asked. It keeps the peak by itself; only what comes after the last question is missed.
const INTERVAL: Duration = Duration::from_millis(20);

/// Runs `command` to its end; its peak resident memory in bytes, and what it printed. Linux only.
pub(super) async fn of(mut command: Command, signals: &mut Signals) -> Result<(u64, String)> {
    let mut child = command.stdout(Stdio::piped()).kill_on_drop(true).spawn().context("cannot run the example")?;
    let mut output = child.stdout.take().context("the child has no standard output")?;
    let id = child.id().context("the child has ended already")?;
    let mut text = String::new();
    let mut peak = 0;
    let status = signals
        .or(async {
            let (watched, read) = tokio::join!(watch(&mut child, id, &mut peak), output.read_to_string(&mut text));
            read.context("cannot read what the example printed")?;
            watched
        })
        .await?;
    if !status.success() {
        bail!("the replay ended with {status}");
    }
    if peak == 0 {
        bail!("the kernel does not say what a process needs: this is measured on Linux");
    }
    Ok((peak, text))
}

async fn watch(child: &mut Child, id: u32, peak: &mut u64) -> Result<std::process::ExitStatus> {
    loop {
        tokio::select! {
            status = child.wait() => return status.context("cannot wait for the example"),
            () = tokio::time::sleep(INTERVAL) => {
                let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
                *peak = (*peak).max(high_water_mark(&status).unwrap_or(0));
            }
        }
    }
}

/// `VmHWM` of a `/proc/…/status`, in bytes.
fn high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_water_mark_is_read_in_bytes() {
        assert_eq!(high_water_mark("Name:\tx\nVmHWM:\t  147560 kB\nVmRSS:\t 1 kB\n"), Some(147_560 * 1024));
        assert_eq!(high_water_mark("Name:\tx\n"), None);
    }
}

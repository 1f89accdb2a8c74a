//! The clocks around a piece of work.

use std::time::Instant;

use anyhow::Result;

use super::{Measured, Replayed, process};

/// What a piece of work came to.
pub(crate) struct Ran {
    /// How many events it applied; for the insert floor, how many states it wrote.
    pub(crate) events: u64,
    pub(crate) replayed: Option<Replayed>,
}

impl Ran {
    pub(crate) fn of(events: u64) -> Self {
        Self { events, replayed: None }
    }
}

/// Does the work, and reads the clocks of this process before and after.
pub(crate) async fn clocked(work: impl Future<Output = Result<Ran>>) -> Result<Measured> {
    let (cpu_before, began) = (process::cpu(), Instant::now());
    let ran = work.await?;
    Ok(Measured {
        events: ran.events,
        seconds: began.elapsed().as_secs_f64(),
        client_cpu: process::cpu() - cpu_before,
        server_cpu: None,
        peak_bytes: process::peak(),
        sent: None,
        replayed: ran.replayed,
    })
}

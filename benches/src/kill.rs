//! A replay that is killed in the middle, and resumed.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;

use crate::{child, ours::TOLD, spec::Spec};

/// What a kill cost.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Killed {
    /// When it was killed, in seconds from its start. `None`: it was done before.
    pub(crate) after_seconds: Option<f64>,
    /// Work since then, in seconds, which is done again.
    pub(crate) lost_seconds: f64,
    /// After how many events the next process went on.
    pub(crate) resumed_after: i64,
    /// How long that one waited for the lease of the dead one to run out, in seconds.
    pub(crate) waited_seconds: f64,
    /// How long it then took, in seconds.
    pub(crate) resumed_seconds: f64,
    /// How many events the history has.
    pub(crate) events: u64,
}

/// When a run is killed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Middle {
    /// The position before the first event.
    pub(crate) first: i64,
    /// In the batch after the one that ends past this position,
    pub(crate) past: i64,
    /// or after so long, if none does.
    pub(crate) patience: Duration,
}

/// Starts the run, kills it, and runs it again to its end.
pub(crate) async fn kill_and_resume(spec: &Spec, middle: Middle) -> Result<Killed> {
    let telling = Spec { telling: true, ..spec.clone() };
    let began = Instant::now();
    let mut running = child::start(&telling)?;
    let mut at = began;
    let out_of_patience = tokio::time::sleep(middle.patience);
    tokio::pin!(out_of_patience);
    loop {
        tokio::select! {
            line = running.lines.next_line() => {
                let Some(line) = line? else { break };
                let Some(reached) = line.strip_prefix(TOLD).and_then(|text| text.parse::<i64>().ok()) else { continue };
                let batch = at.elapsed();
                at = Instant::now();
                if reached > middle.past {
                    // In the middle of the next batch.
                    tokio::time::sleep(batch / 2).await;
                    break;
                }
            }
            () = &mut out_of_patience => break,
        }
    }
    let was_running = running.child.try_wait()?.is_none();
    running.child.kill().await?;
    let (after, lost) = (began.elapsed().as_secs_f64(), at.elapsed().as_secs_f64());
    let resumed = child::measured(spec).await?;
    let replayed = resumed.replayed.unwrap_or_default();
    Ok(Killed {
        after_seconds: was_running.then_some(after),
        lost_seconds: if was_running { lost } else { 0.0 },
        resumed_after: (replayed.resumed_from - middle.first).max(0),
        waited_seconds: replayed.waited,
        resumed_seconds: resumed.seconds - replayed.waited,
        events: resumed.events,
    })
}

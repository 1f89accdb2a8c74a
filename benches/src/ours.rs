//! Ours, driven as a user would: a runtime is started, awaited, shut down; its progress is watched meanwhile.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use projection_core::{EventStore, Phase, Progress, ViewStore, runtime::ProjectionRuntimeBuilder};
use tokio::sync::watch;

use crate::measure::Replayed;

/// What a child writes before each position that it has reached.
pub(crate) const TOLD: &str = "reached ";

/// Replays what is registered until it has caught up, and shuts down.
pub(crate) async fn replay<E: EventStore, V: ViewStore>(
    builder: ProjectionRuntimeBuilder<E, V>,
    telling: bool,
) -> Result<Replayed> {
    let began = Instant::now();
    let runtime = builder.start().await?;
    let watchers: Vec<_> =
        runtime.progress().into_iter().map(|progress| tokio::spawn(watch(progress, began, telling))).collect();
    let caught_up = runtime.caught_up().await;
    runtime.shutdown().await;
    caught_up?;
    let mut all = Replayed::default();
    for (place, watcher) in watchers.into_iter().enumerate() {
        let one = watcher.await.context("the watcher ended")?;
        all = if place == 0 { one } else { together(&all, &one) };
    }
    Ok(all)
}

/// Follows one projection until it is live or has ended.
async fn watch(mut progress: watch::Receiver<Progress>, began: Instant, telling: bool) -> Replayed {
    let mut replayed = Replayed::default();
    let mut since: Option<(Instant, Progress)> = None;
    loop {
        let now = progress.borrow_and_update().clone();
        let runs = matches!(now.phase, Phase::Replaying | Phase::Draining | Phase::Live);
        match &mut since {
            None if runs => {
                replayed.waited = began.elapsed().as_secs_f64();
                replayed.resumed_from = now.position.as_i64();
                since = Some((Instant::now(), now.clone()));
            }
            Some((at, before)) if now.batches > before.batches => {
                // Two batches may have been flushed since: the loss is that of one.
                let batches = now.batches - before.batches;
                let seconds = at.elapsed().as_secs_f64() / batches as f64;
                let events = (now.events_applied - before.events_applied) / batches;
                replayed.worst_loss_seconds = replayed.worst_loss_seconds.max(seconds);
                replayed.worst_loss_events = replayed.worst_loss_events.max(events);
                (*at, *before) = (Instant::now(), now.clone());
                if telling {
                    println!("{TOLD}{}", now.position);
                }
            }
            _ => {}
        }
        replayed.batches = now.batches;
        replayed.instances_written = now.instances_written;
        replayed.read = seconds(now.spent.read);
        replayed.decode = seconds(now.spent.decode);
        replayed.fold = seconds(now.spent.fold);
        replayed.flush = seconds(now.spent.flush);
        let ended = matches!(now.phase, Phase::Live | Phase::Stopped | Phase::Failed);
        if ended || progress.changed().await.is_err() {
            return replayed;
        }
    }
}

fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

/// Of several projections: what adds up, and the worst of what does not.
fn together(one: &Replayed, other: &Replayed) -> Replayed {
    Replayed {
        batches: one.batches + other.batches,
        instances_written: one.instances_written + other.instances_written,
        waited: one.waited.max(other.waited),
        resumed_from: one.resumed_from.min(other.resumed_from),
        worst_loss_seconds: one.worst_loss_seconds.max(other.worst_loss_seconds),
        worst_loss_events: one.worst_loss_events.max(other.worst_loss_events),
        read: one.read + other.read,
        decode: one.decode + other.decode,
        fold: one.fold + other.fold,
        flush: one.flush + other.flush,
    }
}

//! When a child has nothing left to do: each view is up to date, whichever process brought it there.

use std::time::Duration;

use anyhow::{Result, bail};
use projection_core::{
    CheckpointStorage, Phase, Position, ProjectionRuntime, StoreError,
    runtime::{Health, ProjectionStatus},
};

use crate::{order::Live, writing};

/// How often it is looked.
const LOOK: Duration = Duration::from_millis(50);

/// Waits until every view is up to date. An outage is waited for; a projection that failed is an error.
/// While events are appended, nothing is.
pub(super) async fn up_to_date(
    runtime: &ProjectionRuntime,
    checkpoints: &dyn CheckpointStorage,
    live: Option<&Live>,
) -> Result<()> {
    loop {
        let end = match live {
            Some(live) => writing::is_done(&live.done)?,
            None => Some(Position::START),
        };
        let mut all = end.is_some();
        for status in runtime.list() {
            if matches!(status.health, Health::Failed | Health::Stopped) {
                let cause = status.failure.map(anyhow::Error::new);
                bail!("{} failed: {:#}", status.name, cause.unwrap_or_else(|| anyhow::anyhow!("stopped")));
            }
            all &= is_up_to_date(&status, checkpoints, end.unwrap_or_default()).await;
        }
        if all {
            return Ok(());
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn is_up_to_date(status: &ProjectionStatus, checkpoints: &dyn CheckpointStorage, end: Position) -> bool {
    match status.progress.phase {
        Phase::Live => status.progress.position >= end,
        // Another process owns it: what has it stored?
        Phase::Standby => caught_up(checkpoints, status, end).await.unwrap_or(false),
        _ => false,
    }
}

async fn caught_up(
    checkpoints: &dyn CheckpointStorage,
    status: &ProjectionStatus,
    end: Position,
) -> Result<bool, StoreError> {
    let stored = checkpoints.load(&status.name).await?;
    Ok(stored.iter().any(|checkpoint| {
        checkpoint.key.version == status.version && checkpoint.caught_up && checkpoint.position >= end
    }))
}

//! When a child has nothing left to do: each view is up to date, whichever process brought it there.

use std::time::Duration;

use anyhow::{Result, bail};
use projection_core::{
    CheckpointStorage, Phase, ProjectionRuntime, StoreError,
    runtime::{Health, ProjectionStatus},
};

/// How often it is looked.
const LOOK: Duration = Duration::from_millis(50);

/// Waits until every view is up to date. An outage is waited for; a projection that failed is an error.
pub(super) async fn up_to_date(runtime: &ProjectionRuntime, checkpoints: &dyn CheckpointStorage) -> Result<()> {
    loop {
        let mut all = true;
        for status in runtime.list() {
            if matches!(status.health, Health::Failed | Health::Stopped) {
                let cause = status.failure.map(anyhow::Error::new);
                bail!("{} failed: {:#}", status.name, cause.unwrap_or_else(|| anyhow::anyhow!("stopped")));
            }
            all &= is_up_to_date(&status, checkpoints).await;
        }
        if all {
            return Ok(());
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn is_up_to_date(status: &ProjectionStatus, checkpoints: &dyn CheckpointStorage) -> bool {
    match status.progress.phase {
        Phase::Live => true,
        // Another process owns it: what has it stored?
        Phase::Standby => caught_up(checkpoints, status).await.unwrap_or(false),
        _ => false,
    }
}

async fn caught_up(checkpoints: &dyn CheckpointStorage, status: &ProjectionStatus) -> Result<bool, StoreError> {
    let stored = checkpoints.load(&status.name).await?;
    Ok(stored.iter().any(|checkpoint| checkpoint.key.version == status.version && checkpoint.caught_up))
}

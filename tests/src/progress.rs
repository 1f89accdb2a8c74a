//! Waits until a projection has come so far.

use std::time::Duration;

use projection_core::{Phase, Progress, ProjectionRuntime};

const LIMIT: Duration = Duration::from_secs(90);

/// Waits until this holds of the runtime's first projection; `what` says it in words.
///
/// # Panics
///
/// When it does not within a minute and a half.
pub async fn reaches(runtime: &ProjectionRuntime, what: &str, is: impl FnMut(&Progress) -> bool) {
    let mut progress = runtime.progress().remove(0);
    match tokio::time::timeout(LIMIT, progress.wait_for(is)).await {
        Ok(reached) => drop(reached.unwrap()),
        Err(_) => panic!("it should reach {what}: {:?}", runtime.list()),
    }
}

/// Waits until it is in this phase.
///
/// # Panics
///
/// As [`reaches`].
pub async fn reaches_phase(runtime: &ProjectionRuntime, phase: Phase) {
    reaches(runtime, &format!("{phase:?}"), |progress| progress.phase == phase).await;
}

//! Doing it again: an operation under a retry strategy, its delays ended by a stop.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::{RetryStrategy, StoreError};

/// How an operation under a retry strategy ended.
pub(crate) enum GaveUp {
    /// The strategy gave up.
    Failed { source: StoreError, tries: usize },
    /// A stop ended the wait.
    Stopped,
}

/// Runs `operation` until it succeeds, the strategy gives up, or a stop ends a delay.
pub(crate) async fn retried<T, Attempt>(
    strategy: &RetryStrategy,
    stop: &CancellationToken,
    mut operation: impl FnMut() -> Attempt,
) -> Result<T, GaveUp>
where
    Attempt: Future<Output = Result<T, StoreError>> + Send,
{
    let mut retries = strategy.start();
    loop {
        let source = match operation().await {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        let Some(delay) = retries.after(&source) else {
            return Err(GaveUp::Failed { source, tries: retries.failures() });
        };
        tracing::warn!(error = %source, ?delay, failures = retries.failures(), "trying again");
        wait(delay, stop).await?;
    }
}

/// Sleeps, unless a stop comes.
pub(crate) async fn wait(delay: Duration, stop: &CancellationToken) -> Result<(), GaveUp> {
    tokio::select! {
        biased;
        () = stop.cancelled() => Err(GaveUp::Stopped),
        () = tokio::time::sleep(delay) => Ok(()),
    }
}

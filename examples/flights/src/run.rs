//! The whole way: events into views, the views read back, the figures and their summary.

use projection_core::{EventStore, Progress, ViewStore};
use tokio::sync::watch;

use crate::{
    figures::{Figures, FiguresError},
    replay::{ReplayError, ReplayOptions, replay},
    stored::StoredViews,
    summary::Summary,
};

/// What is known of the input, and how it is replayed.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Events in the history.
    pub events: u64,
    /// Rows that said no flight.
    pub malformed: u64,
    /// How it is replayed.
    pub replay: ReplayOptions,
}

/// What a run gave.
#[derive(Debug)]
pub struct Outcome {
    /// What the stored views say.
    pub figures: Figures,
    /// The same in short.
    pub summary: Summary,
}

/// Why a run gave nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The replay did not come to its end.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The stored views cannot be read, or do not agree.
    #[error(transparent)]
    Figures(#[from] FiguresError),
}

/// Replays `events` into `views`, then reads `stored`, which is the same views by another way.
///
/// `watch` is given the progress of each view once they have begun.
///
/// # Errors
///
/// When the replay fails, or the stored views cannot be read or do not agree.
pub async fn run<E: EventStore, V: ViewStore>(
    events: E,
    views: V,
    stored: &impl StoredViews,
    options: RunOptions,
    watch: impl FnOnce(Vec<watch::Receiver<Progress>>),
) -> Result<Outcome, RunError> {
    replay(events, views, &options.replay, watch).await?;
    let figures = Figures::read(stored).await?;
    let summary = Summary::new(&figures, options.events, options.malformed);
    Ok(Outcome { figures, summary })
}

//! The replay: every view, from a store of events into a store of views.

use std::time::Duration;

use projection_core::{
    EventStore, FeedError, MaterializedViewOptionsBuilder, Progress, ViewStore,
    runtime::{ProjectionRuntime, ProjectionRuntimeBuilder, StartError},
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::views::{Airborne, Aircraft, AirportTraffic, FlightStatus, Punctuality, Records, route_traffic};

/// Why a replay did not come to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// It did not start.
    #[error("the replay did not start")]
    Start(#[from] StartError),
    /// A view failed.
    #[error("the replay failed")]
    Failed(#[from] FeedError),
    /// It was told to stop.
    #[error("the replay was stopped; run again, and it goes on where it is")]
    Stopped,
}

/// How a history is replayed.
#[derive(Debug, Clone, Default)]
pub struct ReplayOptions {
    /// Overrides the batch size of every view.
    pub batch_size: Option<usize>,
    /// How long the views are kept from another process after this one was killed; what the runtime says where nothing
    /// is said.
    pub lease: Option<Duration>,
    /// Ends the replay when it is cancelled: batches that are being written are written to their end.
    pub stop: CancellationToken,
}

/// Brings every view up to date with `events`; goes on where an earlier replay into `views` stopped.
///
/// `watch` is given the progress of each view once they have begun.
///
/// # Errors
///
/// When it cannot start, a view fails, or it is told to stop.
pub async fn replay<E: EventStore, V: ViewStore>(
    events: E,
    views: V,
    options: &ReplayOptions,
    watch: impl FnOnce(Vec<watch::Receiver<Progress>>),
) -> Result<(), ReplayError> {
    let mut builder = register(ProjectionRuntime::builder(events, views), options.batch_size);
    if let Some(lease) = options.lease {
        builder = builder.lease(lease);
    }
    let runtime = builder.start().await?;
    watch(runtime.progress());
    let ended = tokio::select! {
        biased;
        caught_up = runtime.caught_up() => caught_up.map_err(ReplayError::from),
        () = options.stop.cancelled() => Err(ReplayError::Stopped),
    };
    runtime.shutdown().await;
    ended
}

/// What a view keeps of its states in memory. Events come in the order of time, so a few days of flights are all that
/// is asked for again.
const CACHE_BYTES: usize = 8 << 20;

fn register<E: EventStore, V: ViewStore>(
    builder: ProjectionRuntimeBuilder<E, V>,
    batch_size: Option<usize>,
) -> ProjectionRuntimeBuilder<E, V> {
    let configure = move |options: MaterializedViewOptionsBuilder| {
        let options = options.cache_bytes(CACHE_BYTES);
        match batch_size {
            Some(pairs) => options.batch_size(pairs),
            None => options,
        }
    };
    builder
        .register_with::<Punctuality>(configure)
        .register_with::<Aircraft>(configure)
        .register_with::<AirportTraffic>(configure)
        .register_with::<route_traffic>(configure)
        .register_with::<FlightStatus>(configure)
        .register_with::<Airborne>(configure)
        .register_with::<Records>(configure)
}

//! The replay: every view, from a store of events into a store of views.

use projection_core::{
    EventStore, FeedError, MaterializedViewOptionsBuilder, Progress, ViewStore,
    runtime::{ProjectionRuntime, ProjectionRuntimeBuilder, StartError},
};
use tokio::sync::watch;

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
}

/// Brings every view up to date with `events`; goes on where an earlier replay into `views` stopped.
///
/// `batch_size` overrides that of every view. `watch` is given the progress of each view once they have begun.
///
/// # Errors
///
/// When it cannot start, or a view fails.
pub async fn replay<E: EventStore, V: ViewStore>(
    events: E,
    views: V,
    batch_size: Option<usize>,
    watch: impl FnOnce(Vec<watch::Receiver<Progress>>),
) -> Result<(), ReplayError> {
    let runtime = register(ProjectionRuntime::builder(events, views), batch_size).start().await?;
    watch(runtime.progress());
    let caught_up = runtime.caught_up().await;
    runtime.shutdown().await;
    Ok(caught_up?)
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

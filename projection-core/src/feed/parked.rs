//! Parked instances of a feed: listed, released, released without the event they were parked for.

use tokio_util::sync::CancellationToken;

use super::core::{FeedCore, State};
use crate::{FeedError, store::ParkedInstance};

impl FeedCore {
    /// The instances that take no events.
    pub(crate) async fn parked(&self) -> Result<Vec<ParkedInstance>, FeedError> {
        self.engine.lock().await.parked(&CancellationToken::new()).await
    }

    /// Releases a parked instance, between two batches of a live feed. Says whether it was parked, and is not any more.
    pub(crate) async fn release(&self, instance: &str, without: bool) -> Result<bool, FeedError> {
        let mut engine = self.engine.lock().await;
        let stop = match &*self.shared() {
            shared if matches!(shared.state, State::Live) => shared.stop.clone(),
            _ => return Err(FeedError::NotStarted { projection: self.projection.clone() }),
        };
        let parked = engine.parked(&stop).await?;
        let Some(parked) = parked.iter().find(|parked| parked.instance == instance) else { return Ok(false) };
        let released = engine.release(parked, without, &stop).await;
        if let Err(error) = &released {
            self.settle(&engine, Err(error.clone()))?;
        }
        released
    }
}

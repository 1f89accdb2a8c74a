//! Parked instances of a feed: listed, released, released without the event they were parked for.

use super::core::FeedCore;
use crate::{FeedError, store::ParkedInstance};

impl FeedCore {
    /// The instances that take no events.
    pub(crate) async fn parked(&self) -> Result<Vec<ParkedInstance>, FeedError> {
        self.records.parked().await
    }

    /// Releases a parked instance, between two batches of a live feed. Says whether it was parked, and is not any more.
    pub(crate) async fn release(&self, instance: &str, without: bool) -> Result<bool, FeedError> {
        let mut engine = self.engine.lock().await;
        let not_live = || FeedError::NotStarted { projection: self.projection.clone() };
        let run = self.live()?.ok_or_else(not_live)?;
        let parked = engine.parked(&run.stop).await?;
        let Some(parked) = parked.iter().find(|parked| parked.instance == instance) else { return Ok(false) };
        let released = self.contained(engine.release(parked, without, &run.stop)).await;
        if let Err(error) = &released {
            self.settle(&run, Err(error.clone()))?;
        }
        released
    }
}

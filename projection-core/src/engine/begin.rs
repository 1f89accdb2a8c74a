//! Where a view begins that has no checkpoint, and what may not be asked of one that has (spec: P22).

use tokio_util::sync::CancellationToken;

use super::{Engine, waiting::retried};
use crate::{FeedError, Position, Start};

impl Engine {
    /// Begins a view that has no checkpoint where its options say, and records that.
    pub(crate) async fn begin(&mut self, mark: Position, stop: &CancellationToken) -> Result<(), FeedError> {
        let start = match self.options.start() {
            Start::Beginning | Start::AlwaysBeginning => return Ok(()),
            Start::Now => mark,
            Start::After(position) if position > mark => {
                let reason = format!("it is to start after position {position}, and the store has come to {mark}");
                return Err(FeedError::Invalid { projection: self.identity.projection.clone(), reason });
            }
            Start::After(position) => position,
            Start::At(time) => {
                let before = retried(self.options.retry(), stop, || self.source.before(time)).await;
                self.settled("the event store does not say where a time begins", before)?.min(mark)
            }
        };
        self.begin_after(start, stop).await
    }

    /// Begins after `start`: the events up to it are never applied.
    pub(crate) async fn begin_after(&mut self, start: Position, stop: &CancellationToken) -> Result<(), FeedError> {
        (self.position, self.start) = (start, start);
        self.told();
        tracing::info!(projection = self.identity.projection, position = %start, "begins after the history before it");
        self.store(self.checkpoint(start), stop).await
    }

    /// Refuses to start earlier than the view did: instances would take events that stand before those they have.
    pub(crate) fn refuse_earlier(&self) -> Result<(), FeedError> {
        let asked = match self.options.start() {
            Start::Beginning => Position::START,
            Start::After(position) => position,
            // Asked for only where there is no checkpoint.
            Start::Now | Start::At(_) | Start::AlwaysBeginning => return Ok(()),
        };
        if self.start > asked {
            let projection = self.identity.projection.clone();
            return Err(FeedError::Rebuild { projection, start: self.start, asked });
        }
        Ok(())
    }
}

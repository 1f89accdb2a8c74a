//! A replay with a memory budget: pages are folded as they come, and written when the budget or the time is used up. What
//! needs more care, such as an event that fails, goes the way of the batches, which can pass it over, park it or name it.

use tokio_util::sync::CancellationToken;

use super::{Absorbed, Engine, decode::DecodedPage};
use crate::{FeedError, Position};

/// What became of a page.
pub(super) enum Taken {
    /// It is folded.
    Whole,
    /// It goes the way of the batches.
    ByBatches,
    /// So does all that is not flushed: it is to be read again.
    Again,
}

impl Engine {
    /// Whether pages are folded as they come.
    pub(super) fn folds_ahead(&self) -> bool {
        self.replaying && self.target.folds_ahead()
    }

    /// Folds a page that stands after `before`.
    pub(super) async fn take_page(
        &mut self,
        page: &DecodedPage,
        before: Position,
        stop: &CancellationToken,
    ) -> Result<Taken, FeedError> {
        if !self.folds_ahead() {
            return Ok(Taken::ByBatches);
        }
        let absorbed = if page.covers > self.by_batches {
            let (target, context) = self.target_with(None, stop);
            target.absorb(&page.events, &context).await?
        } else {
            Absorbed::Nothing
        };
        match absorbed {
            Absorbed::Whole { skipped } => {
                self.progress.update(self.position, |progress| progress.events_skipped += skipped as u64);
                if self.target.is_full() {
                    self.flush(page.covers, stop).await?;
                }
                Ok(Taken::Whole)
            }
            Absorbed::Nothing => {
                if !self.target.is_empty() {
                    self.flush(before, stop).await?;
                }
                // The batches write what the working set believes to know, and the other way round.
                self.target.discard();
                Ok(Taken::ByBatches)
            }
            Absorbed::Spoiled => {
                self.by_batches = page.covers;
                Ok(Taken::Again)
            }
        }
    }

    /// A page went the way of the batches: what it left is flushed, so that the next may be folded as it comes.
    pub(super) async fn end_page(&mut self, covers: Position, stop: &CancellationToken) -> Result<(), FeedError> {
        if self.folds_ahead() && !self.target.is_empty() {
            self.flush(covers, stop).await?;
            self.target.discard();
        }
        Ok(())
    }
}

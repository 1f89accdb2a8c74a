//! Events that came too late: kept until the view has passed them, then the instances that they change are folded anew.

use tokio_util::sync::CancellationToken;

use super::core::FeedCore;
use crate::{FeedError, Position, engine::Engine};

/// So many wait at the most.
const LIMIT: usize = 10_000;

impl FeedCore {
    /// Events came at these positions, after a mark beyond them was given out.
    pub(crate) fn late(&self, positions: &[Position]) {
        let mut shared = self.shared();
        // One more than may be: that is how it is seen.
        let room = (LIMIT + 1).saturating_sub(shared.late.len());
        shared.late.extend(positions.iter().take(room));
    }

    /// Folds anew what those change that the view has passed. One that it has not come to may be read in its turn, or be
    /// missing in a page that was read before: it is looked at later.
    pub(super) async fn refold_late(&self, engine: &mut Engine, stop: &CancellationToken) -> Result<(), FeedError> {
        let (all, due) = {
            let shared = self.shared();
            (shared.late.len(), shared.late.range(..=engine.position).copied().collect::<Vec<_>>())
        };
        let Some(first) = due.first() else { return Ok(()) };
        let result = if all > LIMIT {
            Err(FeedError::Late {
                projection: self.projection.clone(),
                position: *first,
                instances: Vec::new(),
                reason: format!("more than {LIMIT} such events wait"),
            })
        } else {
            engine.refold(&due, stop).await
        };
        match &result {
            Ok(false) => return Ok(()),
            Ok(true) => self.shared().late.retain(|position| !due.contains(position)),
            // Whoever resumes it does without them.
            Err(FeedError::Late { .. }) => self.shared().late.clear(),
            Err(_) => {}
        }
        result.map(drop)
    }
}

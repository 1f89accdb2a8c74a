//! Events that came at positions which the view had passed: the instances that they change are folded anew from the
//! history, and replaced.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{Engine, History, waiting::retried};
use crate::{FeedError, Position, store::Window};

/// What became of instances that were to be folded anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refolded {
    /// So many are replaced.
    Instances(usize),
    /// Some hold events that the view has not come to yet, after a crash: to be tried again when it has.
    NotYet,
}

impl Engine {
    /// Puts the view right after events came at these positions, which it has passed; whether that is done.
    pub(crate) async fn refold(&mut self, late: &[Position], stop: &CancellationToken) -> Result<bool, FeedError> {
        let mut events = Vec::new();
        for position in late.iter().filter(|position| **position > self.start) {
            let one = Window { after: position.before(), up_to: *position };
            let read = retried(self.options.retry(), stop, || self.source.read_anew(one, 1)).await;
            let page = read.map_err(|gave_up| self.read_failed(one.after, gave_up))?;
            events.extend(page.events);
        }
        if events.is_empty() {
            return Ok(true);
        }
        let window = Window { after: self.start, up_to: self.position };
        let history = History::of(Arc::clone(&self.source), window);
        let (target, context) = self.target_with(None, stop);
        let refolded = target.refold(&events, &history, &context).await;
        // What is in memory is not what is stored now.
        self.target.discard();
        match refolded? {
            Refolded::NotYet => Ok(false),
            Refolded::Instances(instances) => {
                let positions: Vec<i64> = events.iter().map(|event| event.meta.position().as_i64()).collect();
                tracing::warn!(
                    ?positions,
                    instances,
                    "events came late: the instances that they change are folded anew"
                );
                Ok(true)
            }
        }
    }
}

//! A view that somebody wrote by hand, as the engine drives it: each event by itself (spec: P7).

use std::{collections::VecDeque, panic::AssertUnwindSafe, sync::Arc, time::Instant};

use async_trait::async_trait;
use futures::FutureExt;

use super::{
    Passed,
    decode::DecodedEvent,
    identity::FailedWrite,
    panics::message_of,
    target::{FlushContext, Flushed, Target},
    waiting::{GaveUp, retried},
};
use crate::{
    ErrorKind, FeedError, MaterializedViewOptions, OnPoison, StoreError,
    feed::{MaterializedView, ReplayAware},
    store::SkippedEvent,
};

/// Hands each event to the view; a batch is only what lies between two checkpoints.
pub(crate) struct HandWritten<V> {
    view: Arc<V>,
    waiting: VecDeque<Arc<DecodedEvent>>,
    skipped: Vec<SkippedEvent>,
    bytes: usize,
    batch_size: usize,
    batch_bytes: usize,
}

impl<V: MaterializedView> HandWritten<V> {
    pub(crate) fn new(view: Arc<V>, options: &MaterializedViewOptions) -> Self {
        Self {
            view,
            waiting: VecDeque::new(),
            skipped: Vec::new(),
            bytes: 0,
            batch_size: options.batch_size(),
            batch_bytes: options.batch_bytes(),
        }
    }

    /// Hands over one event, as often as the strategy says, or skips it with a record.
    async fn apply(&mut self, event: &DecodedEvent, context: &FlushContext<'_>) -> Result<(), FeedError> {
        if context.stop.is_cancelled() {
            return Err(context.stopped());
        }
        match retried(context.options.retry(), context.stop, || self.update(event)).await {
            Ok(()) => Ok(()),
            Err(GaveUp::Stopped) => Err(context.stopped()),
            Err(GaveUp::Failed { source, .. }) if source.kind() == ErrorKind::Poison => {
                if context.options.on_poison() != OnPoison::Skip {
                    return Err(context.identity.poison(event, None, source));
                }
                self.skipped.push(context.identity.skipped(event, None, &source.to_string()));
                Ok(())
            }
            Err(GaveUp::Failed { source, tries }) => {
                let at = FailedWrite { instance: None, event: Some(event), tries };
                Err(context.identity.write_failed(at, source))
            }
        }
    }

    async fn update(&self, event: &DecodedEvent) -> Result<(), StoreError> {
        let payload = event.payload.as_ref().map_err(Clone::clone)?;
        let Some(value) = payload.downcast_ref::<V::Event>() else { return Ok(()) };
        match AssertUnwindSafe(self.view.update(value, &event.meta)).catch_unwind().await {
            Ok(updated) => updated,
            Err(panic) => Err(StoreError::poison(format!("its handler {}", message_of(panic.as_ref())))),
        }
    }
}

#[async_trait]
impl<V: MaterializedView> Target for HandWritten<V> {
    fn push(&mut self, event: &Arc<DecodedEvent>) -> Result<usize, StoreError> {
        event.payload.as_ref().map_err(Clone::clone)?;
        self.bytes += event.bytes;
        self.waiting.push_back(Arc::clone(event));
        Ok(1)
    }

    fn skip(&mut self, skipped: SkippedEvent) {
        self.skipped.push(skipped);
    }

    fn is_full(&self) -> bool {
        self.waiting.len() >= self.batch_size
            || self.bytes >= self.batch_bytes
            || self.skipped.len() >= self.batch_size
    }

    fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.skipped.is_empty()
    }

    async fn flush(&mut self, context: &FlushContext<'_>) -> Result<Flushed, FeedError> {
        let (started, before) = (Instant::now(), self.waiting.len());
        let (mut last, mut stopped_at) = (None, None);
        while let Some(event) = self.waiting.front().cloned() {
            match self.apply(&event, context).await {
                // What is applied is claimed, so that a stop doubles nothing.
                Err(FeedError::Stopped { .. }) if last.is_some() => {
                    stopped_at = last;
                    break;
                }
                applied => applied?,
            }
            self.waiting.pop_front();
            last = event.stored.then(|| event.meta.position());
        }
        self.bytes = 0;
        context.record(&Passed { skipped: std::mem::take(&mut self.skipped), ..Passed::default() }).await?;
        if let Some(flush) = self.replay_aware().and_then(ReplayAware::flush).filter(|_| context.replaying) {
            let flushed = retried(context.options.retry(), context.stop, || flush.flush()).await;
            flushed.map_err(|gave_up| context.storage_gave_up("the view cannot flush", gave_up))?;
        }
        let events = before - self.waiting.len();
        Ok(Flushed { stopped_at, events, instances: events, io: started.elapsed(), ..Flushed::nothing() })
    }

    fn discard(&mut self) {
        self.waiting.clear();
        self.bytes = 0;
        self.skipped.clear();
    }

    fn replay_aware(&self) -> Option<&dyn ReplayAware> {
        self.view.replay_aware()
    }
}

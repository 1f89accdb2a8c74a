//! A view that somebody wrote by hand, as the engine drives it: each event by itself (spec: P7).

use std::{
    collections::VecDeque,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

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
    FeedError, MaterializedViewOptions, OnPoison, StoreError,
    feed::{MaterializedView, ReplayAware},
    store::SkippedEvent,
};

/// Hands each event to the view; a batch is only what lies between two checkpoints.
pub(crate) struct HandWritten<V> {
    view: Arc<V>,
    waiting: VecDeque<Arc<DecodedEvent>>,
    skipped: Vec<SkippedEvent>,
    batch_size: usize,
}

impl<V: MaterializedView> HandWritten<V> {
    pub(crate) fn new(view: Arc<V>, options: &MaterializedViewOptions) -> Self {
        Self { view, waiting: VecDeque::new(), skipped: Vec::new(), batch_size: options.batch_size() }
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
        self.waiting.push_back(Arc::clone(event));
        Ok(1)
    }

    fn skip(&mut self, skipped: SkippedEvent) {
        self.skipped.push(skipped);
    }

    fn is_full(&self) -> bool {
        self.waiting.len() >= self.batch_size
    }

    fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.skipped.is_empty()
    }

    async fn flush(&mut self, context: &FlushContext<'_>) -> Result<Flushed, FeedError> {
        let (started, events) = (Instant::now(), self.waiting.len());
        while let Some(event) = self.waiting.pop_front() {
            if context.stop.is_cancelled() {
                return Err(context.stopped());
            }
            let updated = retried(context.options.retry(), context.stop, || self.update(&event)).await;
            match updated {
                Ok(()) => {}
                Err(GaveUp::Stopped) => return Err(context.stopped()),
                Err(GaveUp::Failed { source, .. }) if source.kind() == crate::ErrorKind::Poison => {
                    if context.options.on_poison() != OnPoison::Skip {
                        return Err(context.identity.poison(&event, None, source));
                    }
                    self.skipped.push(context.identity.skipped(&event, None, &source.to_string()));
                }
                Err(GaveUp::Failed { source, tries }) => {
                    let at = FailedWrite { instance: None, event: Some(&event), tries };
                    return Err(context.identity.write_failed(at, source));
                }
            }
        }
        context.record(&Passed { skipped: std::mem::take(&mut self.skipped), ..Passed::default() }).await?;
        if let Some(flush) = self.replay_aware().and_then(ReplayAware::flush) {
            flush
                .flush()
                .await
                .map_err(|source| context.identity.storage_failed("the view cannot flush", source))?;
        }
        Ok(Flushed { events, instances: events, fold: Duration::ZERO, io: started.elapsed(), ..Flushed::nothing() })
    }

    fn discard(&mut self) {
        self.waiting.clear();
        self.skipped.clear();
    }

    fn replay_aware(&self) -> Option<&dyn ReplayAware> {
        self.view.replay_aware()
    }
}

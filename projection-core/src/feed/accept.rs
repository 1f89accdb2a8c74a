//! Events offered to a feed: held during a replay, applied at once when it is live.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{Hold, OfferedEvent, core::FeedCore, core::State};
use crate::{
    EventMetadata, EventRef, FeedError, Position,
    engine::{DecodedEvent, Engine, retried, wait},
};

/// What became of an offered event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Accepted {
    /// The batch that holds it is written, or it had been applied before.
    Applied,
    /// A replay is under way: it is applied after the history, before the feed is live. Should the feed stop or fail
    /// first, it is discarded, and must be offered again.
    Held,
    /// No handler takes it, or the feed's filter does not pass it.
    Irrelevant,
}

/// An offered event on its way.
pub(super) struct Offer {
    event: Arc<DecodedEvent>,
    done: Mutex<Option<oneshot::Sender<Result<(), FeedError>>>>,
}

impl Offer {
    pub(super) fn done(&self, result: Result<(), FeedError>) {
        let sender = self.done.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(sender) = sender {
            // Whoever offered it may have gone.
            drop(sender.send(result));
        }
    }
}

/// How often the mark is asked again, while an offered event stands beyond it.
const BEYOND_THE_MARK: Duration = Duration::from_millis(20);

impl FeedCore {
    /// Takes an event that the application offers (spec: P5, P20, P21).
    pub(crate) async fn accept(&self, event: OfferedEvent) -> Result<Accepted, FeedError> {
        let (sender, mut done) = oneshot::channel();
        let Some(offer) = self.offer(event, sender) else { return Ok(Accepted::Irrelevant) };
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            room.as_mut().enable();
            {
                let mut shared = self.shared();
                let projection = || self.projection.clone();
                match &shared.state {
                    State::NotStarted => return Err(FeedError::NotStarted { projection: projection() }),
                    State::Stopped => return Err(FeedError::Stopped { projection: projection() }),
                    State::Failed(cause) => return Err(cause.clone()),
                    State::Live => {
                        shared.waiting.push(Arc::clone(&offer));
                        break;
                    }
                    State::CatchingUp if shared.waiting.len() < self.hold.limit() => {
                        shared.waiting.push(Arc::clone(&offer));
                        return Ok(Accepted::Held);
                    }
                    State::CatchingUp => {
                        if let Hold::Refuse(_) = self.hold {
                            return Err(FeedError::HoldFull {
                                projection: projection(),
                                held: shared.waiting.len(),
                            });
                        }
                    }
                }
            }
            room.await;
        }
        // Whoever comes first applies all that waits, as one batch (spec: B1); the others find theirs done.
        let mut engine = self.engine.lock().await;
        if let Ok(result) = done.try_recv() {
            return result.map(|()| Accepted::Applied);
        }
        let stop = self.shared().stop.clone();
        let applied = self.apply_waiting(&mut engine, &stop).await;
        self.settle(&engine, applied)?;
        drop(engine);
        match done.await {
            Ok(result) => result.map(|()| Accepted::Applied),
            Err(_) => Err(FeedError::Stopped { projection: self.projection.clone() }),
        }
    }

    /// The event, decoded; `None` where no handler takes it or the filter does not pass it.
    fn offer(&self, event: OfferedEvent, done: oneshot::Sender<Result<(), FeedError>>) -> Option<Arc<Offer>> {
        let OfferedEvent { offered, name, data } = event;
        let payload = self.source.decode_json(&name, &data)?;
        if !self.source.filter().matches(&name, &offered.stream) {
            return None;
        }
        let bytes = data.to_string().len();
        let mut meta = EventMetadata::new(Position::START, offered.event, name, offered.stream);
        if let Some(time) = offered.time {
            meta = meta.with_time(time);
        }
        let event = Arc::new(DecodedEvent { meta, bytes, payload, stored: false });
        Some(Arc::new(Offer { event, done: Mutex::new(Some(done)) }))
    }

    /// Applies all offered events that wait: those that the store holds by reading it up to them, the others by
    /// themselves (spec: P20).
    pub(super) async fn apply_waiting(
        &self,
        engine: &mut Engine,
        stop: &CancellationToken,
    ) -> Result<(), FeedError> {
        loop {
            let waiting: Vec<Arc<Offer>> = self.shared().waiting.clone();
            if waiting.is_empty() {
                return Ok(());
            }
            let refs: Vec<EventRef> = waiting.iter().map(|offer| offer.event.meta.event().clone()).collect();
            let located = retried(engine.options.retry(), stop, || engine.source.locate(&refs)).await;
            let located = engine.settled("offered events cannot be looked up in the event store", located)?;
            if let Some(last) = located.iter().flatten().max() {
                self.reach(engine, *last, stop).await?;
            }
            let unknown: Vec<Arc<DecodedEvent>> = (waiting.iter().zip(&located))
                .filter(|(_, position)| position.is_none())
                .map(|(offer, _)| Arc::clone(&offer.event))
                .collect();
            engine.apply_offered(&unknown, stop).await?;
            let applied: HashSet<*const Offer> = waiting.iter().map(Arc::as_ptr).collect();
            self.shared().waiting.retain(|offer| !applied.contains(&Arc::as_ptr(offer)));
            waiting.iter().for_each(|offer| offer.done(Ok(())));
            self.room.notify_waiters();
        }
    }

    /// Reads the store up to `position`, once the mark has come there.
    async fn reach(
        &self,
        engine: &mut Engine,
        position: Position,
        stop: &CancellationToken,
    ) -> Result<(), FeedError> {
        while engine.position < position {
            let mark = engine.mark(stop).await?;
            engine.advance(mark, stop).await?;
            if engine.position < position {
                wait(BEYOND_THE_MARK, stop).await.map_err(|_| engine.stopped())?;
            }
        }
        Ok(())
    }
}

//! Events offered to a feed: held during a replay, applied at once when it is live.

use std::{collections::HashSet, sync::Arc, time::Duration};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{
    Hold, OfferedEvent,
    core::FeedCore,
    offer::{Accepted, Offer, Withdrawn},
    state::{Run, State},
};
use crate::{
    EventMetadata, EventRef, FeedError, Position, StoreError,
    engine::{DecodedEvent, Engine, retried, wait},
};

/// How often the mark is asked again, while an offered event stands beyond it.
const BEYOND_THE_MARK: Duration = Duration::from_millis(20);

impl FeedCore {
    /// Takes an event that the application offers (spec: P5, P20, P21).
    pub(crate) async fn accept(&self, event: OfferedEvent) -> Result<Accepted, FeedError> {
        let (sender, mut done) = oneshot::channel();
        let Some(offer) = self.offer(event, sender).await? else { return Ok(Accepted::Irrelevant) };
        let Some(run) = self.enqueue(&offer).await? else { return Ok(Accepted::Held) };
        // Should this future be dropped before it is its turn, nobody waits for the event.
        let withdrawn = Withdrawn { feed: self, offer };

        // Whoever comes first applies all that waits, as one batch (spec: B1); the others find theirs done.
        let mut engine = self.engine.lock().await;
        if let Ok(result) = done.try_recv() {
            return result;
        }
        let applied = self.contained(self.apply_waiting(&mut engine, &run.stop)).await;
        self.settle(&run, applied)?;
        drop(engine);
        let result = done.await;
        drop(withdrawn);
        result.unwrap_or_else(|_| Err(self.stopped_error()))
    }

    /// Puts the offer where it waits; the run that applies it at once, or `None` if a replay holds it.
    async fn enqueue(&self, offer: &Arc<Offer>) -> Result<Option<Run>, FeedError> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let mut shared = self.shared();
                let live = match &shared.state {
                    State::NotStarted => {
                        return Err(FeedError::NotStarted { projection: self.projection.clone() });
                    }
                    State::Stopped => return Err(self.stopped_error()),
                    State::Failed(cause) => return Err(cause.clone()),
                    State::Live => true,
                    State::CatchingUp => false,
                };
                let held = shared.waiting.len();
                if held < self.hold.limit() {
                    shared.waiting.push(Arc::clone(offer));
                    return Ok(live.then(|| shared.run.clone()));
                }
                if let Hold::Refuse(_) = self.hold {
                    return Err(FeedError::HoldFull { projection: self.projection.clone(), held });
                }
            }
            changed.await;
        }
    }

    /// The event, decoded; `None` where no handler takes it or the filter does not pass it. One that cannot be decoded is
    /// its caller's mistake, unless the store holds it: then it is the store's, and is met when it is read.
    async fn offer(
        &self,
        event: OfferedEvent,
        done: oneshot::Sender<Result<Accepted, FeedError>>,
    ) -> Result<Option<Arc<Offer>>, FeedError> {
        let OfferedEvent { offered, name, data } = event;
        let Some(payload) = self.source.decode_json(&name, &data) else { return Ok(None) };
        if !self.source.filter().matches(&name, &offered.stream) {
            return Ok(None);
        }
        if let Err(source) = &payload {
            let located = self.located(std::slice::from_ref(&offered.event)).await;
            let failed = |source| FeedError::Offered {
                projection: self.projection.clone(),
                event: offered.event.clone(),
                source,
            };
            if located.map_err(failed)?.iter().all(Option::is_none) {
                return Err(failed(source.clone()));
            }
        }
        let bytes = data.to_string().len();
        let mut meta = EventMetadata::new(Position::START, offered.event, name, offered.stream);
        if let Some(time) = offered.time {
            meta = meta.with_time(time);
        }
        let event = Arc::new(DecodedEvent { meta, bytes, payload, stored: false });
        Ok(Some(Arc::new(Offer::new(event, done))))
    }

    /// Where events stand in the store; as many answers as there were questions.
    async fn located(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError> {
        let located = self.source.locate(events).await?;
        if located.len() == events.len() {
            return Ok(located);
        }
        let (asked, got) = (events.len(), located.len());
        Err(StoreError::permanent(format!("the event store was asked for {asked} events and answered for {got}")))
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
            let located = retried(engine.options.retry(), stop, || self.located(&refs)).await;
            let located = engine.settled("offered events cannot be looked up in the event store", located)?;
            if let Some(last) = located.iter().flatten().max() {
                self.reach(engine, *last, stop).await?;
            }
            let unknown: Vec<Arc<DecodedEvent>> = (waiting.iter().zip(&located))
                .filter(|(offer, position)| position.is_none() && offer.event.payload.is_ok())
                .map(|(offer, _)| Arc::clone(&offer.event))
                .collect();
            engine.apply_offered(&unknown, stop).await?;
            let applied: HashSet<*const Offer> = waiting.iter().map(Arc::as_ptr).collect();
            self.shared().waiting.retain(|offer| !applied.contains(&Arc::as_ptr(offer)));
            for (offer, position) in waiting.iter().zip(located) {
                // What stands before the view's beginning is not read.
                let before = position.is_some_and(|position| position <= engine.start);
                offer.done(Ok(if before { Accepted::Irrelevant } else { Accepted::Applied }));
            }
            self.changed.notify_waiters();
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

//! What changes something: a decision on what is recorded, appended if nobody was faster.

mod error;
mod event_id;

use projection_core::{
    Event, EventRef, Filter, Position, StoreError,
    append::{AppendError, AppendEvents, AppendToken, Appended, ExpectedVersion, NewEvent},
    store::{EventPage as _, RawEvent as _, Window},
};
use serde::Serialize;

pub(crate) use self::{error::CommandError, event_id::EventId};
use crate::{
    events::{OrderCancelled, OrderEvent, OrderPlaced, OrderShipped},
    ids::OrderId,
    order::{Order, Refused},
};

/// Places, ships and cancels orders.
#[derive(Debug)]
pub(crate) struct Commands<E> {
    events: E,
}

/// What was recorded, now or when the same was asked for before.
#[derive(Debug)]
pub(crate) struct Done<T> {
    pub(crate) event: T,
    pub(crate) token: AppendToken,
}

/// How often a decision is made anew when others were faster.
const TRIES: usize = 5;

impl<E: AppendEvents> Commands<E> {
    pub(crate) fn new(events: E) -> Self {
        Self { events }
    }

    /// Records a new order. A client that asks for the same again gets the order that it placed the first time.
    pub(crate) async fn place(&self, placed: OrderPlaced, id: &EventId) -> Result<Done<OrderPlaced>, CommandError> {
        for _ in 0..TRIES {
            let same =
                |earlier: &OrderPlaced| OrderPlaced { order_id: placed.order_id, ..earlier.clone() } == placed;
            if let Some(earlier) = self.earlier(id, same).await? {
                return Ok(earlier);
            }
            if let Some(done) = self.append(placed.order_id, ExpectedVersion::NoStream, placed.clone(), id).await? {
                return Ok(done);
            }
        }
        Err(CommandError::Contended)
    }

    pub(crate) async fn ship(&self, order: OrderId, id: &EventId) -> Result<Done<OrderShipped>, CommandError> {
        self.change(order, id, Order::ship, |shipped| shipped.order_id).await
    }

    pub(crate) async fn cancel(&self, order: OrderId, id: &EventId) -> Result<Done<OrderCancelled>, CommandError> {
        self.change(order, id, Order::cancel, |cancelled| cancelled.order_id).await
    }

    /// Loads the order, decides, and appends on the condition that the order is still as it was loaded; else anew.
    async fn change<T: Event + Serialize>(
        &self,
        order: OrderId,
        id: &EventId,
        decide: fn(&Order) -> Result<T, Refused>,
        of: fn(&T) -> OrderId,
    ) -> Result<Done<T>, CommandError> {
        for _ in 0..TRIES {
            if let Some(earlier) = self.earlier(id, |earlier| of(earlier) == order).await? {
                return Ok(earlier);
            }
            let stream = self.events.load::<OrderEvent>(&order.stream()).await?;
            let loaded = Order::of(&stream.events).ok_or(CommandError::UnknownOrder(order))?;
            let event = decide(&loaded)?;
            if let Some(done) = self.append(order, ExpectedVersion::Exact(stream.version), event, id).await? {
                return Ok(done);
            }
        }
        Err(CommandError::Contended)
    }

    /// `None` if somebody else was faster, be it with something else or with the same event.
    async fn append<T: Event + Serialize>(
        &self,
        order: OrderId,
        expected: ExpectedVersion,
        event: T,
        id: &EventId,
    ) -> Result<Option<Done<T>>, CommandError> {
        let new = NewEvent::new(&event)?.with_id(id.as_str());
        match self.events.append(order.stream(), expected, [new]).await {
            Ok(appended) => Ok(Some(Done { event, token: appended.token().clone() })),
            Err(AppendError::Conflict { .. } | AppendError::Duplicate(_)) => Ok(None),
            Err(other) => Err(StoreError::from(other).into()),
        }
    }

    /// What is recorded under an id that the client has chosen: it may have asked before, and not heard the answer.
    async fn earlier<T: Event>(
        &self,
        id: &EventId,
        same: impl Fn(&T) -> bool + Send,
    ) -> Result<Option<Done<T>>, CommandError> {
        if !id.is_chosen() {
            return Ok(None);
        }
        let source = self.events.source();
        let located = self.events.locate(&[EventRef::new(source.as_str(), id.as_str())]).await?;
        let Some(position) = located.into_iter().flatten().next() else { return Ok(None) };
        let before = Position::try_from(position.as_i64() - 1).map_err(StoreError::permanent)?;
        let window = Window { after: before, up_to: position };
        let page = self.events.read(window, &Filter::all().with_names([T::NAME]), 1).await?;
        let event = page.events().next().map(|raw| raw.decode::<T>()).transpose()?.filter(same);
        let event = event.ok_or_else(|| CommandError::KeyUsed(id.as_str().to_owned()))?;
        let token = Appended::new(source, before, position, Vec::new()).token().clone();
        Ok(Some(Done { event, token }))
    }
}

//! A stream, decoded: what a decision is made from.

use super::AppendEvents;
use crate::{
    Event, EventSet, EventVisitor, StoreError, StreamId,
    store::{EventPage as _, RawEvent},
};

/// The events of one stream, and the version to expect when appending to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedStream<E> {
    /// How many events the stream has: [`ExpectedVersion::Exact`](super::ExpectedVersion::Exact) of it says that nobody
    /// has appended since.
    pub version: u64,
    /// Those events that `E` names, in their order.
    pub events: Vec<E>,
}

/// How many events are read at once.
const PAGE: usize = 1000;

pub(super) async fn load<S: AppendEvents + ?Sized, E: EventSet>(
    store: &S,
    stream: &StreamId,
) -> Result<LoadedStream<E>, StoreError> {
    let mut loaded = LoadedStream { version: 0, events: Vec::new() };
    loop {
        let before = loaded.version;
        let page = store.read_stream(stream, before, PAGE).await?;
        for raw in page.events() {
            loaded.version = raw.metadata().stream_version();
            let mut decoded = Decoded { raw: &raw, event: None };
            E::visit(&mut decoded);
            loaded.events.extend(decoded.event.transpose()?);
        }
        if loaded.version == before {
            return Ok(loaded);
        }
    }
}

/// Decodes an event as the one of the set that has its name.
struct Decoded<'a, R, E> {
    raw: &'a R,
    event: Option<Result<E, StoreError>>,
}

impl<R: RawEvent, Set> EventVisitor<Set> for Decoded<'_, R, Set> {
    fn event<E: Event>(&mut self, wrap: fn(E) -> Set) {
        if E::NAME == self.raw.name() || E::ALIASES.contains(&self.raw.name()) {
            self.event = Some(self.raw.decode::<E>().map(wrap));
        }
    }
}

//! A page for several views: each event decoded once for each type that some view takes it as.

use std::{
    any::TypeId,
    sync::Arc,
    time::{Duration, Instant},
};

use super::Union;
use crate::{
    Position,
    engine::decode::{DecodedEvent, DecodedPage, Raw},
    store::{EventStore, RawEvent as _, Window},
};

/// The events of a read, decoded for all.
pub(super) struct SharedPage {
    pub(super) after: Position,
    pub(super) covers: Position,
    pub(super) born: Instant,
    events: Vec<SharedEvent>,
}

struct SharedEvent {
    kind: usize,
    /// As one type; as a rule all views take the same.
    first: (TypeId, Arc<DecodedEvent>),
    others: Vec<(TypeId, Arc<DecodedEvent>)>,
}

impl SharedPage {
    pub(super) fn new(after: Position, covers: Position) -> Self {
        Self { after, covers, born: Instant::now(), events: Vec::new() }
    }

    pub(super) fn push<S: EventStore>(&mut self, raw: &Raw<'_, S>, union: &Union<S>) {
        // What was not asked for is not asked about.
        let Some(kind) = union.kinds.get(raw.name()).copied() else { return };
        let mut forms = union.decoders[kind].iter().map(|decoder| {
            let event = DecodedEvent {
                meta: raw.metadata(),
                bytes: raw.size(),
                payload: decoder.stored(raw),
                stored: true,
            };
            (decoder.makes(), Arc::new(event))
        });
        if let Some(first) = forms.next() {
            self.events.push(SharedEvent { kind, first, others: forms.collect() });
        }
    }

    /// What of it stands in `window`, as one view wants it.
    pub(super) fn cut(&self, window: Window, wanted: &[Option<TypeId>], waited: Duration) -> DecodedPage {
        let inside = |event: &SharedEvent| {
            let position = event.first.1.meta.position();
            window.after < position && position <= window.up_to
        };
        let form = |event: &SharedEvent| {
            let wanted = (*wanted.get(event.kind)?)?;
            let mut forms = std::iter::once(&event.first).chain(&event.others);
            forms.find(|(form, _)| *form == wanted).map(|(_, event)| Arc::clone(event))
        };
        let events = self.events.iter().filter(|event| inside(event)).filter_map(form).collect();
        DecodedPage { events, covers: self.covers.min(window.up_to), read: waited, decode: Duration::ZERO }
    }
}

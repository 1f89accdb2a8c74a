//! Folding: the steps of one instance onto its state, in arrival order, behind the position guard.

use std::cell::Cell;

use super::{
    HandlerTable,
    batch::{HandlerMask, Step},
    caught,
    decode::DecodedEvent,
};
use crate::{EventRef, Position, Projection, store::Stored};

/// How many events without a position an instance remembers, so that they are not applied twice (spec: P20).
/// Beyond it they are at least once.
pub(crate) const OFFERED_REMEMBERED: usize = 128;

/// The state of one instance while events are folded onto it.
pub(crate) struct Folding<S> {
    pub state: Option<S>,
    pub position: Position,
    pub offered: Vec<EventRef>,
    /// Whether any event was new; the others were applied before.
    pub moved: bool,
}

/// A handler panicked: which step, and its message. The state it left is thrown away (spec: B17).
pub(crate) struct Panicked {
    pub step: usize,
    pub message: String,
}

impl<S> Folding<S> {
    /// Starts from what is stored.
    pub(crate) fn from_stored(stored: Option<Stored<S>>) -> Self {
        match stored {
            None => Self { state: None, position: Position::START, offered: Vec::new(), moved: false },
            Some(stored) => {
                Self { state: stored.state, position: stored.position, offered: stored.offered, moved: false }
            }
        }
    }

    /// Whether the event was applied before (spec: B11, P24).
    pub(super) fn knows(&self, event: &DecodedEvent) -> bool {
        (event.stored && event.meta.position() <= self.position) || self.offered.contains(event.meta.event())
    }

    pub(super) fn remember(&mut self, event: &DecodedEvent) {
        self.moved = true;
        if event.stored {
            self.position = event.meta.position();
        } else {
            if self.offered.len() == OFFERED_REMEMBERED {
                self.offered.remove(0);
            }
            self.offered.push(event.meta.event().clone());
        }
    }
}

/// Folds `steps`, without those that are marked in `except`, onto `folding`.
pub(crate) fn fold_instance<P: Projection>(
    table: &HandlerTable<P>,
    id: &P::Id,
    folding: &mut Folding<P::State>,
    steps: &[Step],
    except: &[bool],
) -> Result<(), Panicked> {
    let current = Cell::new(0);
    caught(|| {
        for (place, step) in steps.iter().enumerate() {
            current.set(place);
            if folding.knows(&step.event) {
                continue;
            }
            if !except.get(place).copied().unwrap_or(false) {
                apply(table, id, &mut folding.state, &step.event, step.handlers);
            }
            folding.remember(&step.event);
        }
    })
    .map_err(|message| Panicked { step: current.get(), message })
}

/// Applies one event by the handlers that named the instance, in source order (spec: B3).
pub(super) fn apply<P: Projection>(
    table: &HandlerTable<P>,
    id: &P::Id,
    state: &mut Option<P::State>,
    event: &DecodedEvent,
    handlers: HandlerMask,
) {
    let Ok(payload) = &event.payload else { return };
    for (place, handler) in table.of(payload.as_ref()).iter().enumerate() {
        if handlers.has(place) {
            (handler.fold)(state, payload.as_ref(), &event.meta, id);
        }
    }
}

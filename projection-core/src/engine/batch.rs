//! A batch: (event, instance) pairs, buffered per instance in arrival order (spec: P1, P8).

use std::sync::Arc;

use indexmap::IndexMap;

use super::decode::DecodedEvent;
use crate::store::SkippedEvent;

/// One event for one instance: all handlers that named the instance, as one step (spec: B3).
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub event: Arc<DecodedEvent>,
    pub handlers: HandlerMask,
}

/// Which of an event's handlers apply, by their place in source order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct HandlerMask(u64);

impl HandlerMask {
    /// How many handlers one event may have.
    pub(crate) const CAPACITY: usize = 64;

    pub(crate) fn add(&mut self, place: usize) {
        self.0 |= 1 << place;
    }

    pub(crate) fn has(self, place: usize) -> bool {
        self.0 >> place & 1 == 1
    }
}

/// What was routed and is not yet flushed.
pub(crate) struct Batch<Id> {
    /// Steps by instance, in the order in which the instances were first met.
    pub instances: IndexMap<Id, Vec<Step>>,
    /// Events that were passed over while routing, to be recorded with the batch.
    pub skipped: Vec<SkippedEvent>,
    pub pairs: usize,
    pub events: usize,
    pub bytes: usize,
}

impl<Id> Batch<Id> {
    pub(crate) fn new() -> Self {
        Self { instances: IndexMap::new(), skipped: Vec::new(), pairs: 0, events: 0, bytes: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pairs == 0 && self.skipped.is_empty()
    }
}

//! A batch: (event, instance) pairs, buffered per instance in arrival order (spec: P1, P8).

use std::sync::Arc;

use indexmap::IndexMap;

use super::{decode::DecodedEvent, passed::Passed};

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
    pub passed: Passed,
    pub pairs: usize,
    pub events: usize,
    pub bytes: usize,
}

impl<Id> Batch<Id> {
    pub(crate) fn new() -> Self {
        Self { instances: IndexMap::new(), passed: Passed::default(), pairs: 0, events: 0, bytes: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pairs == 0 && self.passed.is_empty()
    }

    /// Takes over the steps of one event that were routed elsewhere.
    pub(crate) fn add(&mut self, other: Self, bytes: usize)
    where
        Id: std::hash::Hash + Eq,
    {
        for (id, steps) in other.instances {
            self.pairs += steps.len();
            self.events += 1;
            self.bytes += bytes;
            self.instances.entry(id).or_default().extend(steps);
        }
    }
}

//! What is passed over on purpose: events that are skipped, instances that are parked (spec: B14).

use std::collections::HashMap;

use crate::{
    Position,
    store::{ParkedInstance, SkippedEvent},
};

/// What one batch passes over. It is recorded before the checkpoint that passes it (spec: B13).
#[derive(Debug, Default)]
pub(crate) struct Passed {
    pub skipped: Vec<SkippedEvent>,
    pub parked: Vec<ParkedInstance>,
    /// How many instances were parked before.
    pub already: usize,
}

impl Passed {
    /// Nothing yet, while `already` instances are parked.
    pub(crate) fn beside(already: usize) -> Self {
        Self { already, ..Self::default() }
    }

    pub(crate) fn parked_in_all(&self) -> usize {
        self.already + self.parked.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.skipped.is_empty() && self.parked.is_empty()
    }
}

/// The instances that take no events, each from where on.
#[derive(Debug, Default)]
pub(crate) struct Parked(HashMap<String, Position>);

impl Parked {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether `instance` takes an event that stands at `position`.
    pub(crate) fn takes(&self, instance: &str, position: Position) -> bool {
        self.0.get(instance).is_none_or(|from| position < *from)
    }

    pub(crate) fn add<'a>(&mut self, parked: impl IntoIterator<Item = &'a ParkedInstance>) {
        for parked in parked {
            self.0.entry(parked.instance.clone()).or_insert(parked.from);
        }
    }

    pub(crate) fn remove(&mut self, instance: &str) {
        self.0.remove(instance);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

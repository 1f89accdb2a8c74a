//! The working set of a replay with a memory budget: states that events are folded onto as they come, and that are
//! written once a flush, however many events changed them.

use std::{
    io,
    time::{Duration, Instant},
};

use indexmap::IndexMap;

use super::Folding;
use crate::{
    Key, KeyRef,
    projection::ViewState,
    store::{Expected, Stored},
};

/// The states of a replay in memory, by instance.
pub(crate) struct WorkingSet<S, Id> {
    pub(super) entries: IndexMap<Id, Entry<S>>,
    budget: usize,
    /// What the keys cost.
    key_bytes: usize,
    average: Average,
    /// Events folded since the last flush, and since when.
    pub(super) events: usize,
    pub(super) since: Option<Instant>,
    /// Nothing is stored but what this process has written, so what is not here is not there: it need not be read.
    /// `None` until the store was asked.
    pub(super) knows_all: Option<bool>,
}

/// One state, and what it was computed from.
pub(super) struct Entry<S> {
    pub folding: Folding<S>,
    pub expected: Expected,
    pub had_state: bool,
}

impl<S> Entry<S> {
    pub(super) fn of(stored: Option<Stored<S>>) -> Self {
        Self {
            expected: stored.as_ref().map_or(Expected::Absent, |stored| Expected::At(stored.position)),
            had_state: stored.as_ref().is_some_and(|stored| stored.state.is_some()),
            folding: Folding::from_stored(stored),
        }
    }

    /// Whether there is something to write: what was absent and is absent again writes nothing (spec: B3).
    pub(super) fn is_changed(&self) -> bool {
        self.folding.moved && (self.had_state || self.folding.state.is_some())
    }

    /// It is stored as it is now.
    pub(super) fn is_stored(&mut self) {
        self.expected = Expected::At(self.folding.position);
        self.had_state = self.folding.state.is_some();
        self.folding.moved = false;
    }
}

/// What an entry costs besides its state's heap and its key's: the table around it.
const OVERHEAD: usize = 32;

/// How many states are measured of those that a page has changed.
const SAMPLE: usize = 8;

impl<S: ViewState, Id: Key> WorkingSet<S, Id> {
    pub(crate) fn new(budget: usize) -> Self {
        Self {
            entries: IndexMap::new(),
            budget,
            key_bytes: 0,
            average: Average::default(),
            events: 0,
            since: None,
            knows_all: None,
        }
    }

    /// Adds what is stored for an instance.
    pub(super) fn add(&mut self, id: Id, stored: Option<Stored<S>>) -> usize {
        self.key_bytes += key_bytes(&id);
        self.entries.insert_full(id, Entry::of(stored)).0
    }

    /// Estimates what the states cost, from a few of those that stand at `places`.
    pub(super) fn measure(&mut self, places: impl ExactSizeIterator<Item = usize>) {
        let every = (places.len() / SAMPLE).max(1);
        for place in places.step_by(every) {
            if let Some(state) = self.entries.get_index(place).and_then(|(_, entry)| entry.folding.state.as_ref()) {
                self.average.add(encoded_bytes(state));
            }
        }
    }

    /// What it costs, by estimate.
    pub(super) fn bytes(&self) -> usize {
        let entry = size_of::<Entry<S>>() + size_of::<Id>() + OVERHEAD + self.average.bytes();
        self.entries.len() * entry + self.key_bytes
    }

    /// Whether it has reached its budget, or holds as much work as may be lost. While it is written, each state is there
    /// once more, encoded, a chunk at a time.
    pub(crate) fn is_full(&self, loss: Duration) -> bool {
        self.bytes() >= self.budget || self.since.is_some_and(|since| since.elapsed() >= loss)
    }

    /// Whether there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        self.events == 0
    }

    /// Makes room after a flush, if there is little: half of it goes, whichever. What was deleted goes in any case, since
    /// the store forgets that it was there.
    pub(super) fn make_room(&mut self) {
        let before = self.entries.len();
        self.entries.retain(|_, entry| entry.folding.state.is_some());
        if self.bytes() > self.budget / 2 {
            let mut keep = false;
            self.entries.retain(|_, _| {
                keep = !keep;
                keep
            });
            self.entries.shrink_to_fit();
        }
        if self.entries.len() < before {
            self.knows_all = Some(false);
            self.key_bytes = self.entries.keys().map(key_bytes).sum();
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.budget);
    }
}

/// What a key has on the heap.
fn key_bytes<Id: Key>(id: &Id) -> usize {
    match id.as_key() {
        KeyRef::Text(text) => text.len(),
        KeyRef::Bytes(bytes) => bytes.len(),
        _ => 0,
    }
}

/// The size of a state on the heap, by its size as JSON: field names and digits make up for what containers reserve.
fn encoded_bytes<S: ViewState>(state: &S) -> usize {
    struct Counted(usize);
    impl io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counted = Counted(0);
    // What cannot be encoded is refused when it is written; here it counts for what was encoded of it.
    drop(serde_json::to_writer(&mut counted, state));
    counted.0
}

/// A mean that follows states which grow.
#[derive(Debug, Default)]
struct Average(Option<f64>);

impl Average {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    fn add(&mut self, bytes: usize) {
        let bytes = bytes as f64;
        self.0 = Some(self.0.map_or(bytes, |mean| mean + (bytes - mean) / 64.0));
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an estimate, never negative")]
    fn bytes(&self) -> usize {
        self.0.unwrap_or(0.0) as usize
    }
}

//! States written by this replay, kept in memory so that they are not read again.

use lru::LruCache;

use crate::{Key, KeyRef, store::Stored};

/// The states last written, by instance; bounded by bytes, the least recently used go first.
///
/// What it holds is exactly what is stored. Whoever cannot be sure of that any more forgets it.
pub(crate) struct StateCache<S, Id: Key> {
    states: LruCache<Id, Stored<S>>,
    bytes: usize,
    limit: usize,
}

/// What an entry costs besides the encoded state and its key: the list and the table around it.
const OVERHEAD: usize = 160;

/// What one remembered event costs at the most, as a rule: its ids are UUIDs or shorter.
const OFFERED: usize = 128;

impl<S, Id: Key> StateCache<S, Id> {
    /// A cache of `limit` bytes; with 0 it keeps nothing.
    pub(crate) fn new(limit: usize) -> Self {
        Self { states: LruCache::unbounded(), bytes: 0, limit }
    }

    /// Whether it keeps nothing.
    pub(crate) fn is_off(&self) -> bool {
        self.limit == 0
    }

    /// Takes a state out; it comes back by [`put`](Self::put) once it is written.
    pub(crate) fn take(&mut self, id: &Id) -> Option<Stored<S>> {
        let state = self.states.pop(id)?;
        self.bytes -= cost(id, &state);
        Some(state)
    }

    /// Keeps a state that is stored. A tombstone is not kept: the store removes it once a checkpoint has passed it.
    pub(crate) fn put(&mut self, id: Id, state: Stored<S>) {
        if state.state.is_none() || cost(&id, &state) > self.limit {
            return;
        }
        self.bytes += cost(&id, &state);
        if let Some((id, old)) = self.states.push(id, state) {
            self.bytes -= cost(&id, &old);
        }
        while self.bytes > self.limit {
            let Some((id, oldest)) = self.states.pop_lru() else { break };
            self.bytes -= cost(&id, &oldest);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.states.clear();
        self.bytes = 0;
    }
}

fn cost<S, Id: Key>(id: &Id, state: &Stored<S>) -> usize {
    let key = match id.as_key() {
        KeyRef::Text(text) => text.len(),
        KeyRef::Bytes(bytes) => bytes.len(),
        _ => 0,
    };
    state.bytes + size_of::<Stored<S>>() + 2 * (size_of::<Id>() + key) + OFFERED * state.offered.len() + OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;

    fn of(bytes: usize) -> Stored<u8> {
        Stored { state: Some(1), position: Position::START, offered: Vec::new(), bytes }
    }

    // spec: B2
    #[test]
    fn the_least_recently_used_states_make_room_and_the_bound_holds() {
        let mut cache = StateCache::new(3 * cost(&0_i64, &of(100)));
        for id in 0..10_i64 {
            cache.put(id, of(100));
            assert!(cache.bytes <= cache.limit);
        }
        assert!(cache.take(&6).is_none());
        assert!(cache.take(&7).is_some());
        assert!(cache.take(&9).is_some());
        assert_eq!(cache.bytes, cost(&0_i64, &of(100)));
    }

    #[test]
    fn a_cache_of_zero_bytes_keeps_nothing() {
        let mut cache = StateCache::new(0);
        cache.put(1_i64, of(0));
        assert!(cache.take(&1).is_none());
    }
}

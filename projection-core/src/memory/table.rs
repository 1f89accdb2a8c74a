//! The instances of one view in memory: rows, guards, tombstones.

use std::collections::{BTreeMap, BTreeSet};

use super::{owned_key::OwnedKey, state::StateText, unique::UniqueIndex};
use crate::{
    EventRef, Index, KeyRef, Position, StoreError,
    store::{Expected, SourceName},
};

/// What is kept for one instance.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// `None` is a tombstone.
    pub(super) state: Option<StateText>,
    /// `None` where it was written without a guard.
    pub(super) at: Option<(SourceName, Position)>,
    pub(super) offered: Vec<EventRef>,
}

/// The instances of one view, in the order of their keys.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: BTreeMap<OwnedKey, Row>,
    /// The ids of the rows that are tombstones, so that a checkpoint looks at no others.
    tombstones: BTreeSet<OwnedKey>,
    unique: Vec<UniqueIndex>,
}

/// Why a row was not written.
pub(super) enum NotWritten {
    Lost,
    Refused(StoreError),
}

impl Table {
    /// Makes the unique indexes that are not there; the others only make queries faster.
    pub(super) fn ensure_indexes(&mut self, indexes: &[Index]) -> Result<(), StoreError> {
        for index in indexes {
            if !index.is_unique() || self.unique.iter().any(|made| made.is(index)) {
                continue;
            }
            let mut unique = UniqueIndex::new(index.clone());
            for (id, row) in &self.rows {
                if let Some(state) = &row.state {
                    let fields = state.fields();
                    unique.check(id.as_key(), &fields)?;
                    unique.add(id, &fields);
                }
            }
            self.unique.push(unique);
        }
        Ok(())
    }

    pub(super) fn get(&self, id: KeyRef<'_>) -> Option<&Row> {
        self.rows.get(&OwnedKey::from(id))
    }

    /// Whether there is nothing, not even a tombstone.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn states(&self) -> impl Iterator<Item = (KeyRef<'_>, &StateText)> {
        self.rows.iter().filter_map(|(id, row)| Some((id.as_key(), row.state.as_ref()?)))
    }

    /// Writes the row if what is stored is what was expected, for a repository fed from `source`.
    pub(super) fn put_if(
        &mut self,
        id: KeyRef<'_>,
        row: Row,
        expected: Expected,
        source: &SourceName,
    ) -> Result<(), NotWritten> {
        let stored = self.get(id);
        let as_expected = match expected {
            Expected::Absent => stored.is_none(),
            Expected::At(position) => stored.is_some_and(|stored| {
                stored.at.as_ref().is_some_and(|(fed_from, at)| fed_from == source && *at == position)
            }),
        };
        if as_expected { self.put(id, row).map_err(NotWritten::Refused) } else { Err(NotWritten::Lost) }
    }

    /// Writes the row over what is there.
    pub(super) fn put(&mut self, id: KeyRef<'_>, row: Row) -> Result<(), StoreError> {
        let fields = row.state.as_ref().filter(|_| !self.unique.is_empty()).map(StateText::fields);
        if let Some(fields) = &fields {
            self.unique.iter().try_for_each(|index| index.check(id, fields))?;
        }
        self.remove(id);
        let id = OwnedKey::from(id);
        if let Some(fields) = &fields {
            self.unique.iter_mut().for_each(|index| index.add(&id, fields));
        }
        if row.state.is_none() {
            self.tombstones.insert(id.clone());
        }
        self.rows.insert(id, row);
        Ok(())
    }

    pub(super) fn remove(&mut self, id: KeyRef<'_>) {
        let id = OwnedKey::from(id);
        self.tombstones.remove(&id);
        let removed = self.rows.remove(&id);
        if let Some(state) = removed.and_then(|row| row.state).filter(|_| !self.unique.is_empty()) {
            let fields = state.fields();
            self.unique.iter_mut().for_each(|index| index.remove(&fields));
        }
    }

    /// Removes the tombstones that `source` left at or before `passed`.
    pub(super) fn remove_tombstones(&mut self, source: &SourceName, passed: Position) {
        let is_passed = |at: &Option<(SourceName, Position)>| {
            at.as_ref().is_some_and(|(fed_from, at)| fed_from == source && *at <= passed)
        };
        let Self { rows, tombstones, .. } = self;
        tombstones.retain(|id| {
            let gone = rows.get(id).is_none_or(|row| is_passed(&row.at));
            if gone {
                rows.remove(id);
            }
            !gone
        });
    }
}

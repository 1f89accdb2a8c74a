//! The duplicate check taken out: what is loaded looks as if no event had been applied, so none is passed over.

use std::{
    collections::HashMap,
    sync::{MutexGuard, PoisonError},
};

use projection_core::{
    Key, Position,
    projection::ViewState,
    store::{Change, Commit, Committed, Expected, GuardedRepository, Stored},
};

use super::Broken;

impl<S: ViewState, Id: Key> Broken<S, Id> {
    pub(super) fn hide(&self, ids: &[Id], found: Vec<(usize, Stored<S>)>) -> Vec<(usize, Stored<S>)> {
        let mut hidden = self.hidden();
        let hide = |(place, stored): (usize, Stored<S>)| {
            hidden.insert(ids[place].clone(), stored.position);
            (place, Stored { position: Position::START, ..stored })
        };
        found.into_iter().map(hide).collect()
    }

    /// Writes onto what was loaded: the guard stays.
    pub(super) async fn write_onto_hidden(
        &self,
        guard: &dyn GuardedRepository<S, Id>,
        commit: Commit<'_, S, Id>,
    ) -> Committed {
        let really = |change: &Change<'_, S, Id>| match change.expected {
            Expected::At(Position::START) => {
                Expected::At(self.hidden().get(change.id).copied().unwrap_or(Position::START))
            }
            expected => expected,
        };
        let changes: Vec<_> =
            commit.changes.iter().map(|change| Change { expected: really(change), ..*change }).collect();
        guard.commit(Commit { changes: &changes, ..commit }).await
    }

    fn hidden(&self) -> MutexGuard<'_, HashMap<Id, Position>> {
        self.hidden.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

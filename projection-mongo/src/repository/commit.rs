//! Writes a batch without a transaction: each change is guarded by itself.
//!
//! Deletes go first, then replacements, then inserts, so that a unique value that moves from one instance of the batch
//! to another is mostly free by then; where it was not, what the index refused is tried again after the rest.

mod deletes;
mod inserts;
mod replacements;

use projection_core::{
    Key, KeyRef, StoreError,
    projection::ViewState,
    store::{Change, ChangeOutcome, Expected},
};

use super::{MongoRepository, outcomes::Outcomes, positions::Place};
use crate::document::{Encoder, Stamp};

/// A batch that is being written.
pub(super) struct Batch<'a, S, Id> {
    pub(super) repository: &'a MongoRepository<S, Id>,
    pub(super) changes: &'a [Change<'a, S, Id>],
    /// The owner's epoch, where the collection checks it.
    pub(super) epoch: Option<i64>,
    pub(super) outcomes: Outcomes,
}

impl<'a, S: ViewState, Id: Key> Batch<'a, S, Id> {
    /// Writes all changes.
    pub(super) async fn write(mut self) -> Outcomes {
        self.write_some((0..self.changes.len()).collect()).await;
        let mut refused = self.outcomes.refused_by_index();
        while !refused.is_empty() {
            let before = refused.len();
            self.write_some(refused).await;
            refused = self.outcomes.refused_by_index();
            if refused.len() >= before {
                break;
            }
        }
        self.outcomes
    }

    async fn write_some(&mut self, places: Vec<usize>) {
        let (stay, deletes): (Vec<_>, Vec<_>) =
            places.into_iter().partition(|place| self.changes[*place].state.is_some());
        self.delete(deletes).await;
        let mut inserts = Vec::new();
        let mut replacements = Vec::new();
        for place in stay {
            match self.changes[place].expected {
                Expected::Absent => inserts.push(place),
                Expected::At(position) => replacements.push((place, position)),
            }
        }
        self.replace(replacements).await;
        self.insert_unless_buried(inserts).await;
    }

    /// Reads where the instances stand now; those of which `holds` is not true have lost.
    async fn look_again(
        &mut self,
        places: Vec<usize>,
        holds: impl Fn(&Change<'_, S, Id>, Place) -> bool,
    ) -> Vec<usize> {
        let found = match self.repository.places(&self.ids(&places)).await {
            Ok(found) => found,
            Err(error) => {
                self.outcomes.unknown(&places, &error);
                return Vec::new();
            }
        };
        let mut lost = Vec::new();
        for (place, found) in places.into_iter().zip(found) {
            if !holds(&self.changes[place], found) {
                self.outcomes.set(place, ChangeOutcome::Lost);
                lost.push(place);
            }
        }
        lost
    }

    fn encode(&self, encoder: &mut Encoder<'_>, place: usize) -> Result<(Vec<u8>, usize), (usize, StoreError)> {
        let Some(state) = self.changes[place].state else {
            return Err((place, StoreError::permanent("a delete is not encoded")));
        };
        let document = encoder.document(self.id(place), state, Some(self.stamp(place)));
        let document = document.map_err(|refused| (place, StoreError::from(refused)))?;
        let bytes = document.len();
        Ok((document, bytes))
    }

    fn id(&self, place: usize) -> KeyRef<'a> {
        self.changes[place].id.as_key()
    }

    fn ids(&self, places: &[usize]) -> Vec<KeyRef<'a>> {
        places.iter().map(|place| self.id(*place)).collect()
    }

    fn stamp(&self, place: usize) -> Stamp<'a> {
        let change = &self.changes[place];
        Stamp { position: change.position, offered: change.offered, epoch: self.epoch }
    }
}

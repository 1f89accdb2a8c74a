//! Where instances stand: in the position of their document and of their tombstone.

use bson::doc;
use mongodb::ClientSession;
use projection_core::{
    KeyRef, Position, StoreError,
    store::{Expected, RESERVED_FIELD},
};

use super::{MongoRepository, tombstones::Tombstones};
use crate::{document::position_of, find};

/// What is stored for one instance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The document; `Some(None)` is one without a usable position.
    pub(super) document: Option<Option<Position>>,
    pub(super) tombstone: Option<Position>,
}

impl Place {
    /// The position that counts: the higher one; the document's where they are the same.
    pub(super) fn stands_at(self) -> Option<Position> {
        self.document.flatten().max(self.tombstone)
    }

    /// Whether this is what a change was computed from.
    pub(super) fn is(self, expected: Expected) -> bool {
        match expected {
            Expected::Absent => self.document.is_none() && self.tombstone.is_none(),
            Expected::At(position) => self.stands_at() == Some(position),
        }
    }
}

impl<S: Send, Id: Send> MongoRepository<S, Id> {
    /// Where the instances stand, in the order asked. One round trip, and one more while there may be tombstones.
    pub(super) async fn places(&self, ids: &[KeyRef<'_>]) -> Result<Vec<Place>, StoreError> {
        let mut places = vec![Place::default(); ids.len()];
        let ours = doc! { RESERVED_FIELD: 1 };
        find::by_id(&self.documents, &self.reading, ids.iter().copied(), Some(&ours), |at, document| {
            for place in at {
                places[*place].document = Some(position_of(document, &self.format));
            }
            Ok(())
        })
        .await?;
        if self.tombstones.may_be() {
            let buried = self.buried(ids).await?;
            places.iter_mut().zip(buried).for_each(|(place, buried)| place.tombstone = buried);
        }
        Ok(places)
    }

    /// The same inside a transaction.
    pub(super) async fn places_in(
        &self,
        session: &mut ClientSession,
        ids: &[KeyRef<'_>],
    ) -> Result<Vec<Place>, StoreError> {
        let mut places = vec![Place::default(); ids.len()];
        let Self { documents, reading, format, tombstones, .. } = self;
        let ours = doc! { RESERVED_FIELD: 1 };
        let keys = || ids.iter().copied();
        find::by_id_in(session, documents, reading, keys(), Some(&ours), |at, document| {
            at.iter().for_each(|place| places[*place].document = Some(position_of(document, format)));
            Ok(())
        })
        .await?;
        if tombstones.may_be() {
            let Tombstones { collection, reading, .. } = tombstones;
            find::by_id_in(session, collection, reading, keys(), None, |at, tombstone| {
                at.iter().for_each(|place| places[*place].tombstone = position_of(tombstone, format));
                Ok(())
            })
            .await?;
        }
        Ok(places)
    }

    /// The positions of the tombstones, in the order asked.
    pub(super) async fn buried(&self, ids: &[KeyRef<'_>]) -> Result<Vec<Option<Position>>, StoreError> {
        let mut buried = vec![None; ids.len()];
        let Self { tombstones, format, .. } = self;
        find::by_id(&tombstones.collection, &tombstones.reading, ids.iter().copied(), None, |at, tombstone| {
            for place in at {
                buried[*place] = position_of(tombstone, format);
            }
            Ok(())
        })
        .await?;
        Ok(buried)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(document: Option<u32>, tombstone: Option<u32>) -> Place {
        Place { document: document.map(|at| Some(Position::from(at))), tombstone: tombstone.map(Position::from) }
    }

    // spec: B18
    #[test]
    fn the_higher_of_document_and_tombstone_counts() {
        assert!(at(None, None).is(Expected::Absent));
        assert!(!at(None, Some(3)).is(Expected::Absent));
        assert!(at(Some(3), Some(7)).is(Expected::At(Position::from(7))));
        assert!(at(Some(9), Some(7)).is(Expected::At(Position::from(9))));
        let unusable = Place { document: Some(None), tombstone: None };
        assert!(!unusable.is(Expected::Absent));
        assert_eq!(unusable.stands_at(), None);
    }
}

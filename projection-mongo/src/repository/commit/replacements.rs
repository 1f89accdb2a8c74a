//! Replacements of what was loaded: guarded by its position.

use projection_core::{Key, Position, projection::ViewState, store::Change};

use super::Batch;
use crate::{
    bulk::{Answer, Statement, Verb},
    document::Encoder,
    repository::{MongoRepository, positions::Place, statements},
};

impl<S: ViewState, Id: Key> Batch<'_, S, Id> {
    /// Replaces documents that stand where they were expected.
    pub(super) async fn replace(&mut self, replacements: Vec<(usize, Position)>) {
        let lost = self.replace_documents(&replacements).await;
        if lost.is_empty() || !self.repository.tombstones.may_be() {
            return;
        }
        // What was expected may have been a tombstone: over it an instance is created again.
        let found = match self.repository.places(&self.ids(&lost)).await {
            Ok(found) => found,
            Err(error) => return self.outcomes.unknown(&lost, &error),
        };
        let mut inserts = Vec::new();
        let mut replacements = Vec::new();
        for (place, found) in lost.into_iter().zip(found) {
            match found.document {
                _ if !found.is(self.changes[place].expected) => {}
                None => inserts.push(place),
                // A delete put the tombstone, and did not get to the document.
                Some(Some(position)) => replacements.push((place, position)),
                Some(None) => {}
            }
        }
        self.replace_documents(&replacements).await;
        self.insert(inserts).await;
    }

    /// Those that lost, since nothing or something else was there.
    async fn replace_documents(&mut self, replacements: &[(usize, Position)]) -> Vec<usize> {
        let MongoRepository { target, format, writing, .. } = self.repository;
        let mut encoder = Encoder::new(format);
        let statements = replacements.iter().map(|(place, expected)| {
            let (document, bytes) = self.encode(&mut encoder, *place)?;
            let document = statements::replace_at(format, self.id(*place), *expected, &document);
            Ok(Statement { place: *place, bytes, document })
        });
        let (sent, refused) = target.send(Verb::Update, replacements.len(), statements).await;
        let mut lost = Vec::new();
        let mut doubtful = Vec::new();
        for sent in sent {
            let (answers, found_less) = sent.answers(writing);
            for (place, bytes, answer) in answers {
                let done = matches!(answer, Answer::Done);
                if self.outcomes.answered(place, bytes, answer, writing) {
                    lost.push(place);
                } else if done && found_less {
                    doubtful.push(place);
                }
            }
        }
        refused.into_iter().for_each(|(place, error)| self.outcomes.rejected(place, error));
        // The reply says how many documents were found, not which.
        let written = |change: &Change<'_, S, Id>, place: Place| place.document == Some(Some(change.position));
        lost.extend(self.look_again(doubtful, written).await);
        lost
    }
}

//! Deletes: a tombstone, then the document (spec: B18).

use std::collections::HashSet;

use projection_core::{Key, Position, projection::ViewState, store::ChangeOutcome};

use super::Batch;
use crate::{
    bulk::{Answer, Statement, Verb},
    document::Encoder,
    repository::{MongoRepository, statements},
};

impl<S: ViewState, Id: Key> Batch<'_, S, Id> {
    /// Puts a tombstone for each, then deletes the documents. Where something else is stored than expected, neither.
    pub(super) async fn delete(&mut self, places: Vec<usize>) {
        if places.is_empty() {
            return;
        }
        let found = match self.repository.places(&self.ids(&places)).await {
            Ok(found) => found,
            Err(error) => return self.outcomes.unknown(&places, &error),
        };
        let mut standing = Vec::new();
        let mut expected = Vec::new();
        for (place, found) in places.into_iter().zip(found) {
            if found.is(self.changes[place].expected) {
                expected.push(place);
                standing.extend(found.document.flatten().map(|position| (place, position)));
            } else {
                self.outcomes.set(place, ChangeOutcome::Lost);
            }
        }
        let buried = self.bury(&expected).await;
        standing.retain(|(place, _)| buried.contains(place));
        self.delete_documents(standing).await;
    }

    /// Puts tombstones; the changes for which one is there now.
    async fn bury(&mut self, places: &[usize]) -> HashSet<usize> {
        let MongoRepository { tombstones, format, .. } = self.repository;
        tombstones.expect();
        let encoder = Encoder::new(format);
        let statements = places.iter().map(|place| {
            let (id, stamp) = (self.id(*place), self.stamp(*place));
            let tombstone = encoder.tombstone(id, stamp);
            let document = statements::bury(format, id, stamp.position, &tombstone);
            Ok(Statement { place: *place, bytes: 0, document })
        });
        let (sent, _) = tombstones.target.send(Verb::Update, places.len(), statements).await;
        let mut buried = HashSet::new();
        for (place, bytes, answer) in sent.into_iter().flat_map(|sent| sent.answers(&tombstones.writing).0) {
            if matches!(answer, Answer::Done) {
                buried.insert(place);
            }
            self.outcomes.answered(place, bytes, answer, &tombstones.writing);
        }
        buried
    }

    async fn delete_documents(&mut self, standing: Vec<(usize, Position)>) {
        let MongoRepository { target, format, writing, .. } = self.repository;
        let statements = standing.iter().map(|(place, position)| {
            let document = statements::delete_at(format, self.id(*place), *position);
            Ok(Statement { place: *place, bytes: 0, document })
        });
        let (sent, _) = target.send(Verb::Delete, standing.len(), statements).await;
        let mut doubtful = Vec::new();
        for sent in sent {
            let (answers, found_less) = sent.answers(writing);
            for (place, bytes, answer) in answers {
                let done = matches!(answer, Answer::Done);
                self.outcomes.answered(place, bytes, answer, writing);
                if done && found_less {
                    doubtful.push(place);
                }
            }
        }
        // Whose document is still there has lost a race; the tombstone stays a fact.
        self.look_again(doubtful, |_, place| place.document.is_none()).await;
    }
}

//! Inserts of what was absent: guarded by `_id` itself, and by the tombstones while there may be any.

use projection_core::{Key, projection::ViewState, store::ChangeOutcome};

use super::Batch;
use crate::{
    bulk::{Statement, Verb},
    document::Encoder,
    repository::MongoRepository,
};

impl<S: ViewState, Id: Key> Batch<'_, S, Id> {
    pub(super) async fn insert_unless_buried(&mut self, mut places: Vec<usize>) {
        if !places.is_empty() && self.repository.tombstones.may_be() {
            let buried = match self.repository.buried(&self.ids(&places)).await {
                Ok(buried) => buried,
                Err(error) => return self.outcomes.unknown(&places, &error),
            };
            let mut buried = buried.into_iter();
            places.retain(|place| {
                let is_buried = buried.next().flatten().is_some();
                if is_buried {
                    self.outcomes.set(*place, ChangeOutcome::Lost);
                }
                !is_buried
            });
        }
        self.insert(places).await;
    }

    pub(super) async fn insert(&mut self, places: Vec<usize>) {
        let MongoRepository { target, format, writing, .. } = self.repository;
        let mut encoder = Encoder::new(format);
        let statements = places.iter().map(|place| {
            let (document, bytes) = self.encode(&mut encoder, *place)?;
            Ok(Statement { place: *place, bytes, document })
        });
        let (sent, refused) = target.send(Verb::Insert, places.len(), statements).await;
        for (place, bytes, answer) in sent.into_iter().flat_map(|sent| sent.answers(writing).0) {
            self.outcomes.answered(place, bytes, answer, writing);
        }
        refused.into_iter().for_each(|(place, error)| self.outcomes.rejected(place, error));
    }
}

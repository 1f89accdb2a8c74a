//! The repository without positions: at least once.

use async_trait::async_trait;
use projection_core::{
    ErrorKind, Key, StoreError, ViewStateRepository, projection::ViewState, store::GuardedRepository,
};

use super::{MongoRepository, statements, tombstones::instance};
use crate::{
    bulk::{Statement, Verb},
    document::{Encoder, Parsed},
    find,
};

impl<S: ViewState, Id: Key> MongoRepository<S, Id> {
    pub(super) fn state(&self, parsed: &Parsed<'_>) -> Result<S, StoreError> {
        parsed.state().map_err(|error| {
            let id = instance(parsed.document());
            self.reading.wrong(ErrorKind::Poison, format!("the state of instance {id} cannot be decoded: {error}"))
        })
    }
}

#[async_trait]
impl<S: ViewState, Id: Key> ViewStateRepository<S, Id> for MongoRepository<S, Id> {
    async fn find_by_id(&self, id: &Id) -> Result<Option<S>, StoreError> {
        let found = self.find_all_by_id(std::slice::from_ref(id)).await?;
        Ok(found.into_iter().next().map(|(_, state)| state))
    }

    async fn save(&self, id: &Id, state: &S) -> Result<(), StoreError> {
        self.save_all(&[(id, state)]).await
    }

    async fn delete(&self, id: &Id) -> Result<(), StoreError> {
        let statement = Statement { place: 0, bytes: 0, document: statements::delete_any(id.as_key()) };
        self.target.send_whole(&self.writing, Verb::Delete, 1, std::iter::once(Ok(statement))).await
    }

    async fn find_all_by_id(&self, ids: &[Id]) -> Result<Vec<(usize, S)>, StoreError> {
        let mut found = Vec::with_capacity(ids.len());
        find::by_id(&self.documents, &self.reading, ids.iter().map(Key::as_key), None, |places, document| {
            for place in places {
                found.push((*place, self.state(&Parsed::new(document))?));
            }
            Ok(())
        })
        .await?;
        Ok(found)
    }

    async fn save_all(&self, states: &[(&Id, &S)]) -> Result<(), StoreError> {
        let mut encoder = Encoder::new(&self.format);
        let mut statement = |place: usize, id: &Id, state: &S| {
            let document = encoder.document(id.as_key(), state, None).map_err(|refused| (place, refused.into()))?;
            let statement = statements::upsert(id.as_key(), &document);
            Ok(Statement { place, bytes: document.len(), document: statement })
        };
        let statements = states.iter().enumerate().map(|(place, (id, state))| statement(place, id, state));
        self.target.send_whole(&self.writing, Verb::Update, states.len(), statements).await
    }

    fn guarded(&self) -> Option<&dyn GuardedRepository<S, Id>> {
        Some(self)
    }
}

//! Reads the views back as any program would: with the plain driver, from the collection that has the view's name.

use futures::TryStreamExt as _;
use mongodb::bson::{self, RawDocumentBuf, doc};
use projection_core::{Key, KeyRef, Projection, StoreError};

use super::FlightsDatabase;
use crate::stored::StoredViews;

impl StoredViews for FlightsDatabase {
    async fn each<P: Projection>(&self, mut visit: impl FnMut(P::Id, P::State) + Send) -> Result<u64, StoreError> {
        let documents = self.database.collection::<RawDocumentBuf>(P::NAME);
        let mut documents = documents.find(doc! {}).await.map_err(StoreError::transient)?;
        let mut instances = 0;
        while let Some(document) = documents.try_next().await.map_err(StoreError::transient)? {
            let id = document.get_str("_id").map_err(StoreError::permanent)?;
            let id = P::Id::from_key(KeyRef::Text(id)).map_err(StoreError::permanent)?;
            let state = bson::deserialize_from_slice(document.as_bytes()).map_err(StoreError::permanent)?;
            visit(id, state);
            instances += 1;
        }
        Ok(instances)
    }
}

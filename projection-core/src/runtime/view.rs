//! Reading a view by id.

use std::fmt;

use crate::{Projection, StoreError, store::SharedRepository};

/// The view of `P`, to be read by id. For any other query, ask its database: the view is stored for that.
pub struct View<P: Projection> {
    repository: SharedRepository<P>,
}

impl<P: Projection> View<P> {
    pub(super) fn new(repository: SharedRepository<P>) -> Self {
        Self { repository }
    }

    /// The state of one instance, if it exists; as of the last batch that was written. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub async fn find(&self, id: &P::Id) -> Result<Option<P::State>, StoreError> {
        self.repository.find_by_id(id).await
    }

    /// The states of those of `ids` that exist, each with its place in `ids`. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub async fn find_all(&self, ids: &[P::Id]) -> Result<Vec<(usize, P::State)>, StoreError> {
        self.repository.find_all_by_id(ids).await
    }
}

impl<P: Projection> fmt::Debug for View<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("View").field(&P::NAME).finish()
    }
}

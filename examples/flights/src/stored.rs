//! Reading back what is stored: the figures come from the views' documents, never from what was counted on the way.

use projection_core::{Projection, StoreError, memory::InMemoryViews};

/// A store of views, read by another way than the one that wrote it.
pub trait StoredViews: Sync {
    /// Shows `visit` every instance of a view; says how many there are.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or holds what does not fit the view.
    fn each<P: Projection>(
        &self,
        visit: impl FnMut(P::Id, P::State) + Send,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send;
}

impl StoredViews for InMemoryViews {
    async fn each<P: Projection>(&self, mut visit: impl FnMut(P::Id, P::State) + Send) -> Result<u64, StoreError> {
        let mut instances = 0;
        for (id, state) in self.all::<P>()? {
            visit(id, state);
            instances += 1;
        }
        Ok(instances)
    }
}

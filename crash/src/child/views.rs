//! A view store whose parts have steps, and a mutant over them if one is asked for.

use std::sync::Arc;

use async_trait::async_trait;
use projection_core::{
    CheckpointStorage, Projection, StoreError, ViewStore,
    store::{LeaseStorage, SharedRepository, SourceName},
};

use super::{
    leases::SteppedLeases,
    mutants::{Broken, Parts},
    repository::SteppedRepository,
    steps::Steps,
    storage::SteppedCheckpoints,
};
use crate::order::Mutant;

pub(super) struct SteppedViews<V> {
    inner: V,
    steps: Arc<Steps>,
    mutant: Option<Mutant>,
}

impl<V> SteppedViews<V> {
    pub(super) fn new(inner: V, steps: Arc<Steps>, mutant: Option<Mutant>) -> Self {
        Self { inner, steps, mutant }
    }
}

#[async_trait]
impl<V: ViewStore> ViewStore for SteppedViews<V> {
    async fn open<P: Projection>(&self, source: &SourceName) -> Result<SharedRepository<P>, StoreError> {
        let inner = self.steps.around("open", P::NAME, self.inner.open::<P>(source)).await?;
        let stepped = Arc::new(SteppedRepository::new(inner, P::NAME, Arc::clone(&self.steps)));
        let Some(mutant) = self.mutant else { return Ok(stepped) };
        let parts =
            Parts { checkpoints: self.checkpoints(), leases: self.leases(), steps: Arc::clone(&self.steps) };
        Ok(Arc::new(Broken::new(mutant, stepped, P::NAME, parts)))
    }

    fn checkpoints(&self) -> Arc<dyn CheckpointStorage> {
        Arc::new(SteppedCheckpoints::new(self.inner.checkpoints(), Arc::clone(&self.steps)))
    }

    fn leases(&self) -> Option<Arc<dyn LeaseStorage>> {
        let leases = self.inner.leases()?;
        Some(Arc::new(SteppedLeases::new(leases, Arc::clone(&self.steps))))
    }
}

//! A view store in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::{
    InMemoryCheckpoints,
    leases::InMemoryLeases,
    repository::{Database, Repository},
    versions::InMemoryVersions,
};
use crate::{
    CheckpointStorage, Key, Projection, StoreError, ViewStore,
    store::{LeaseStorage, SharedRepository, SourceName, ViewVersions},
};

/// An instance of a view: its id and its state.
pub type Instance<P> = (<P as Projection>::Id, <P as Projection>::State);

/// Keeps views in memory, with their checkpoints: a batch and its checkpoint are one step. A clone is the same store.
#[derive(Debug, Clone, Default)]
pub struct InMemoryViews {
    database: Arc<Mutex<Database>>,
}

impl InMemoryViews {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The state of one instance of a view, if it exists.
    ///
    /// # Errors
    ///
    /// When what is stored does not fit the projection's state.
    pub fn get<P: Projection>(&self, id: &P::Id) -> Result<Option<P::State>, StoreError> {
        let database = self.lock();
        let row = database.tables.get(&(P::NAME, P::VERSION)).and_then(|table| table.get(id.as_key()));
        row.and_then(|row| row.state.as_ref()).map(|state| state.decode(id.as_key())).transpose()
    }

    /// All instances of a view, in the order of their ids.
    ///
    /// # Errors
    ///
    /// When what is stored does not fit the projection's id and state.
    pub fn all<P: Projection>(&self) -> Result<Vec<Instance<P>>, StoreError> {
        let database = self.lock();
        let Some(table) = database.tables.get(&(P::NAME, P::VERSION)) else {
            return Ok(Vec::new());
        };
        table
            .states()
            .map(|(id, state)| Ok((P::Id::from_key(id).map_err(StoreError::permanent)?, state.decode(id)?)))
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Database> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ViewStore for InMemoryViews {
    async fn open<P: Projection>(&self, source: &SourceName) -> Result<SharedRepository<P>, StoreError> {
        let name = (P::NAME, P::VERSION);
        let mut database = self.lock();
        let shown = *database.shown.entry(P::NAME.to_owned()).or_insert(P::VERSION);
        let table = database.tables.entry(name).or_default();
        if shown == P::VERSION {
            table.ensure_indexes(&P::indexes())?;
        }
        drop(database);
        Ok(Arc::new(Repository::<P::State, P::Id>::new(Arc::clone(&self.database), name, source.clone())))
    }

    fn checkpoints(&self) -> Arc<dyn CheckpointStorage> {
        Arc::new(InMemoryCheckpoints::of(Arc::clone(&self.database)))
    }

    fn leases(&self) -> Option<Arc<dyn LeaseStorage>> {
        Some(Arc::new(InMemoryLeases::of(Arc::clone(&self.database))))
    }

    fn versions(&self, _projection: &str) -> Option<Arc<dyn ViewVersions>> {
        Some(Arc::new(InMemoryVersions::of(Arc::clone(&self.database))))
    }
}

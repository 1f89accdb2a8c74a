//! A repository that keeps a log of its calls, and fails where a test wants it to.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;

use crate::{Key, StoreError, ViewState, ViewStateRepository};

/// An in-memory repository **without positions** that keeps a log of its calls and can be told to fail.
///
/// The log has a line a call: `find_by_id a`, `save a`, `delete a`, `find_all_by_id a b`, `save_all a b`.
pub struct RecordingRepository<S, Id> {
    inner: Arc<Mutex<Inner<Id>>>,
    state: std::marker::PhantomData<fn() -> S>,
}

struct Inner<Id> {
    /// States as JSON, so that nothing needs `Clone`.
    states: HashMap<Id, String>,
    calls: Vec<String>,
    fail: Vec<(String, StoreError)>,
}

impl<S: ViewState, Id: Key> RecordingRepository<S, Id> {
    /// An empty repository.
    #[must_use]
    pub fn new() -> Self {
        let inner = Inner { states: HashMap::new(), calls: Vec::new(), fail: Vec::new() };
        Self { inner: Arc::new(Mutex::new(inner)), state: std::marker::PhantomData }
    }

    /// The next call whose line begins with `call` fails with `error`, having done nothing. Told twice, two calls fail.
    pub fn fail_next(&self, call: &str, error: StoreError) {
        self.inner().fail.push((call.to_owned(), error));
    }

    /// The calls since the last time this was asked.
    #[must_use]
    pub fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.inner().calls)
    }

    /// The state of one instance; not a call.
    #[must_use]
    pub fn peek(&self, id: &Id) -> Option<S> {
        let json = self.inner().states.get(id).cloned()?;
        serde_json::from_str(&json).ok()
    }

    /// How many instances there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner().states.len()
    }

    /// Whether there is no instance.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn inner(&self) -> MutexGuard<'_, Inner<Id>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call<'a>(
        &self,
        name: &str,
        ids: impl Iterator<Item = &'a Id>,
    ) -> Result<MutexGuard<'_, Inner<Id>>, StoreError> {
        let ids: Vec<String> = ids.map(|id| id.as_key().to_string().trim_matches('"').to_owned()).collect();
        let line = format!("{name} {}", ids.join(" "));
        let mut inner = self.inner();
        let failing = inner.fail.iter().position(|(call, _)| line.starts_with(call.as_str()));
        inner.calls.push(line);
        match failing {
            Some(place) => Err(inner.fail.remove(place).1),
            None => Ok(inner),
        }
    }
}

impl<S: ViewState, Id: Key> Default for RecordingRepository<S, Id> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S, Id> Clone for RecordingRepository<S, Id> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), state: std::marker::PhantomData }
    }
}

impl<S, Id> fmt::Debug for RecordingRepository<S, Id> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("RecordingRepository").field("instances", &inner.states.len()).finish_non_exhaustive()
    }
}

#[async_trait]
impl<S: ViewState, Id: Key> ViewStateRepository<S, Id> for RecordingRepository<S, Id> {
    async fn find_by_id(&self, id: &Id) -> Result<Option<S>, StoreError> {
        let inner = self.call("find_by_id", std::iter::once(id))?;
        inner.states.get(id).map(|json| read(json)).transpose()
    }

    async fn save(&self, id: &Id, state: &S) -> Result<(), StoreError> {
        let json = serde_json::to_string(state).map_err(StoreError::poison)?;
        self.call("save", std::iter::once(id))?.states.insert(id.clone(), json);
        Ok(())
    }

    async fn delete(&self, id: &Id) -> Result<(), StoreError> {
        self.call("delete", std::iter::once(id))?.states.remove(id);
        Ok(())
    }

    async fn find_all_by_id(&self, ids: &[Id]) -> Result<Vec<(usize, S)>, StoreError> {
        let inner = self.call("find_all_by_id", ids.iter())?;
        let found = ids.iter().enumerate().filter_map(|(place, id)| inner.states.get(id).map(|json| (place, json)));
        found.map(|(place, json)| Ok((place, read(json)?))).collect()
    }

    async fn save_all(&self, states: &[(&Id, &S)]) -> Result<(), StoreError> {
        let written: Result<Vec<_>, _> =
            states.iter().map(|(id, state)| Ok(((*id).clone(), serde_json::to_string(state)?))).collect();
        let written = written.map_err(|error: serde_json::Error| StoreError::poison(error))?;
        self.call("save_all", states.iter().map(|(id, _)| *id))?.states.extend(written);
        Ok(())
    }
}

fn read<S: ViewState>(json: &str) -> Result<S, StoreError> {
    serde_json::from_str(json).map_err(StoreError::poison)
}

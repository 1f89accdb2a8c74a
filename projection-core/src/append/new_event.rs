//! An event that is not recorded yet.

use std::sync::Arc;

use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{Event, EventRef, StoreError, store::SourceName};

/// An event to append: a name, data as JSON, an id, and what else is known of it.
#[derive(Debug, Clone)]
pub struct NewEvent {
    name: Arc<str>,
    data: Vec<u8>,
    id: Arc<str>,
    source: Option<Arc<str>>,
    time: Option<OffsetDateTime>,
}

impl NewEvent {
    /// `event`, under its own name, with a random id.
    ///
    /// # Errors
    ///
    /// When serde cannot write it as JSON; of the kind [`Poison`](crate::ErrorKind::Poison).
    pub fn new<E: Event + Serialize>(event: &E) -> Result<Self, StoreError> {
        let data = serde_json::to_vec(event).map_err(StoreError::poison)?;
        Ok(Self::from_json(E::NAME, data))
    }

    /// An event called `name` with this JSON as its data, and a random id. A store that has to look at the data refuses
    /// what is no JSON when it is appended.
    pub fn from_json(name: impl Into<Arc<str>>, data: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            data: data.into(),
            id: Uuid::new_v4().to_string().into(),
            source: None,
            time: None,
        }
    }

    /// Sets the id. It must be unique in its source.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<Arc<str>>) -> Self {
        self.id = id.into();
        self
    }

    /// Sets the system the event comes from; the name of the store's order where nothing is said.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Arc<str>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets when it happened; the time of appending where nothing is said. Stored in UTC.
    #[must_use]
    pub fn with_time(mut self, time: OffsetDateTime) -> Self {
        self.time = Some(time);
        self
    }

    /// The name it is stored under.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Its data: JSON.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The data, for a store that keeps it.
    #[must_use]
    pub fn into_data(self) -> Vec<u8> {
        self.data
    }

    /// Which event it is; one without a source of its own comes from `source`.
    #[must_use]
    pub fn event(&self, source: &SourceName) -> EventRef {
        let source = self.source.clone().unwrap_or_else(|| source.as_str().into());
        EventRef { source, id: Arc::clone(&self.id) }
    }

    /// When it happened, if that was said.
    #[must_use]
    pub fn time(&self) -> Option<OffsetDateTime> {
        self.time
    }
}

//! An event that is not recorded yet.

use std::sync::Arc;

use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{Event, StoreError};

/// An event to append: a name, data as JSON, an id, and what else is known of it.
#[derive(Debug, Clone)]
pub struct NewEvent {
    pub(super) name: Arc<str>,
    pub(super) data: Box<[u8]>,
    pub(super) id: Arc<str>,
    pub(super) source: Option<Arc<str>>,
    pub(super) time: Option<OffsetDateTime>,
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

    /// An event called `name` with this JSON as its data, and a random id. The data is not looked at before it is
    /// decoded.
    pub fn from_json(name: impl Into<Arc<str>>, data: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            data: data.into().into_boxed_slice(),
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

    /// Sets when it happened; the time of appending where nothing is said.
    #[must_use]
    pub fn with_time(mut self, time: OffsetDateTime) -> Self {
        self.time = Some(time);
        self
    }
}

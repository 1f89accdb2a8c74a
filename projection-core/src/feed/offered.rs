//! Events that an application offers to a feed by itself.

use serde::Serialize;
use time::OffsetDateTime;

use crate::{Event, EventRef, StoreError, StreamId};

/// What is known of an offered event besides its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    pub(crate) event: EventRef,
    pub(crate) stream: StreamId,
    pub(crate) time: Option<OffsetDateTime>,
}

impl Offered {
    /// The event `id` of `source`, in the stream `stream`.
    pub fn new(source: &str, id: &str, stream: impl Into<StreamId>) -> Self {
        Self { event: EventRef::new(source, id), stream: stream.into(), time: None }
    }

    /// Sets when it happened.
    #[must_use]
    pub fn with_time(mut self, time: OffsetDateTime) -> Self {
        self.time = Some(time);
        self
    }
}

/// An offered event whose data is JSON, as it comes from a message.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedEvent {
    pub(crate) offered: Offered,
    pub(crate) name: String,
    pub(crate) data: serde_json::Value,
}

impl OfferedEvent {
    /// The event called `name`, with its data.
    pub fn new(offered: Offered, name: impl Into<String>, data: serde_json::Value) -> Self {
        Self { offered, name: name.into(), data }
    }

    /// An event of the application's own type.
    ///
    /// # Errors
    ///
    /// When it cannot be written as JSON.
    pub fn of<E: Event + Serialize>(event: &E, offered: Offered) -> Result<Self, StoreError> {
        let data = serde_json::to_value(event).map_err(StoreError::poison)?;
        Ok(Self::new(offered, E::NAME, data))
    }
}

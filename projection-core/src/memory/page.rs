//! The events of one read, in memory.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::{
    EventMetadata, Position, StoreError,
    store::{EventPage, RawEvent},
};

/// An event as it is kept: JSON, and what is known besides.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) metadata: EventMetadata,
    pub(super) data: Vec<u8>,
}

/// The events of one read of an [`InMemoryEventStore`](super::InMemoryEventStore).
#[derive(Debug)]
pub struct InMemoryPage {
    pub(super) events: Vec<Arc<Recorded>>,
    pub(super) covers: Position,
}

/// One event of an [`InMemoryPage`].
#[derive(Debug, Clone, Copy)]
pub struct InMemoryEvent<'a>(&'a Recorded);

impl EventPage for InMemoryPage {
    type Raw<'a> = InMemoryEvent<'a>;

    fn events(&self) -> impl Iterator<Item = InMemoryEvent<'_>> + Send {
        self.events.iter().map(|event| InMemoryEvent(event))
    }

    fn covers(&self) -> Position {
        self.covers
    }
}

impl RawEvent for InMemoryEvent<'_> {
    fn position(&self) -> Position {
        self.0.metadata.position()
    }

    fn name(&self) -> &str {
        self.0.metadata.name()
    }

    fn size(&self) -> usize {
        self.0.data.len()
    }

    fn metadata(&self) -> EventMetadata {
        self.0.metadata.clone()
    }

    fn decode<E: DeserializeOwned>(&self) -> Result<E, StoreError> {
        serde_json::from_slice(&self.0.data).map_err(StoreError::poison)
    }
}

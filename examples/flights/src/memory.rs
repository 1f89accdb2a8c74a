//! The history in memory, for a replay without a server.

use projection_core::{
    StoreError,
    memory::{InMemoryEventStore, NewEvent},
};

use crate::history::{FlightHistory, Recorded};

/// All events of a history.
///
/// # Errors
///
/// When an event cannot be written as JSON.
pub fn events_of(history: &FlightHistory) -> Result<InMemoryEventStore, StoreError> {
    let store = InMemoryEventStore::new();
    for Recorded { metadata, event } in history.events() {
        let data = serde_json::to_vec(&event).map_err(StoreError::poison)?;
        let mut new =
            NewEvent::from_json(metadata.name(), data).with_id(metadata.id()).with_source(metadata.source());
        if let Some(time) = metadata.time() {
            new = new.with_time(time);
        }
        store.record(metadata.stream_id().clone(), [new])?;
    }
    Ok(store)
}

//! The history in memory, for a replay without a server.

use projection_core::{StoreError, memory::InMemoryEventStore};

use crate::history::FlightHistory;

/// All events of a history.
///
/// # Errors
///
/// When an event cannot be written as JSON.
pub fn events_of(history: &FlightHistory) -> Result<InMemoryEventStore, StoreError> {
    let store = InMemoryEventStore::new();
    for recorded in history.events() {
        store.record(recorded.metadata.stream_id().clone(), [recorded.to_new()?])?;
    }
    Ok(store)
}

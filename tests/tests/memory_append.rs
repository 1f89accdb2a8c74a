//! The conformance suite of appending, in memory.

use acceptance::{append_suites, conformance::append::Appending};
use projection_core::{
    append::{AppendEvents as _, ExpectedVersion},
    memory::{InMemoryEventStore, NewEvent},
};

#[derive(Clone, Default)]
struct InMemory(InMemoryEventStore);

#[async_trait::async_trait]
impl Appending for InMemory {
    type Store = InMemoryEventStore;

    fn events(&self) -> &InMemoryEventStore {
        &self.0
    }

    /// There are no transactions of a caller: refused for its last event.
    async fn append_in_vain(&self, stream: &str, mut events: Vec<NewEvent>) {
        events.extend(events.first().cloned());
        assert!(self.0.append(stream, ExpectedVersion::Any, events).await.is_err());
    }
}

async fn events<F: Future<Output = ()>>(test: impl FnOnce(InMemory) -> F) {
    test(InMemory::default()).await;
}

append_suites!(events);

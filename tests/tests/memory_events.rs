//! The conformance suite of event stores, on the one in memory.

use acceptance::{
    conformance::events::{Data, Sample, WithEvents},
    event_suites,
};
use projection_core::memory::{InMemoryEventStore, NewEvent};

struct InMemory;

#[async_trait::async_trait]
impl WithEvents for InMemory {
    type Store = InMemoryEventStore;

    async fn holding(&self, samples: &[Sample]) -> InMemoryEventStore {
        let store = InMemoryEventStore::new();
        for (place, sample) in samples.iter().enumerate() {
            let data = serde_json::to_vec(&Data { n: sample.n }).unwrap();
            let event = NewEvent::from_json(sample.name, data)
                .with_id(Sample::id(place + 1))
                .with_source(Sample::SOURCE)
                .with_time(Sample::time());
            store.record(sample.stream, [event]).unwrap();
        }
        store
    }
}

async fn events<F: Future<Output = ()>>(test: impl FnOnce(InMemory) -> F) {
    test(InMemory).await;
}

event_suites!(events);

// spec: P24
#[test]
fn an_event_whose_source_and_id_are_there_is_refused_with_all_of_its_append() {
    let store = InMemoryEventStore::new();
    let event = |source: &str, id: &str| NewEvent::from_json("X", "{}").with_source(source).with_id(id);
    store.record("a", [event("s", "1"), event("t", "1")]).unwrap();
    let error = store.record("a", [event("s", "2"), event("s", "1")]).unwrap_err();
    assert_eq!(error.to_string(), "event 1 of s is there already: source and id together must be unique");
    assert!(store.record("a", [event("s", "3"), event("s", "3")]).is_err());
    assert_eq!(store.record("a", [event("s", "2")]).unwrap().as_i64(), 3);
}

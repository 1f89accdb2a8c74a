//! For any history, batch size, fault and stop: each stored instance equals its events folded one by one up to its own
//! stored position.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use projection_core::{
    EventStore, RetryStrategy, ViewStore,
    memory::{InMemoryEventStore, InMemoryViews},
    store::SourceName,
    testing::{Fault, FaultyRepository},
};
use proptest::prelude::*;

use crate::{
    paged::Paged,
    support::{List, added, feed_into, options, removed},
};

const IDS: [&str; 4] = ["a", "b", "c", "d"];

#[derive(Debug, Clone)]
enum Happened {
    Added(Vec<usize>),
    Removed(usize),
}

fn happened() -> impl Strategy<Value = Happened> {
    prop_oneof![
        5 => prop::collection::vec(0..IDS.len(), 0..4).prop_map(Happened::Added),
        1 => (0..IDS.len()).prop_map(Happened::Removed),
    ]
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        Just(Fault::Lost),
        Just(Fault::UnknownWritten),
        Just(Fault::UnknownNotWritten),
        Just(Fault::Rejected)
    ]
}

fn store(history: &[Happened]) -> InMemoryEventStore {
    let events = InMemoryEventStore::new();
    for (entry, happened) in (0..).zip(history) {
        let event = match happened {
            Happened::Added(to) => added(&to.iter().map(|id| IDS[*id]).collect::<Vec<_>>().join(" "), entry),
            Happened::Removed(from) => removed(IDS[*from]),
        };
        events.record("s", [event]).unwrap();
    }
    events
}

/// The entries of `id` after the first `upto` events, folded one by one.
fn folded(history: &[Happened], id: usize, upto: usize) -> Option<Vec<i64>> {
    let mut state: Option<Vec<i64>> = None;
    for (entry, happened) in (0..).zip(&history[..upto]) {
        match happened {
            Happened::Added(to) if to.contains(&id) => state.get_or_insert_default().push(entry),
            Happened::Removed(from) if *from == id => state = None,
            _ => {}
        }
    }
    state
}

/// Every stored instance is the fold of its events up to its own position; nothing claims more than is stored.
async fn check(history: &[Happened], views: &InMemoryViews) {
    let repository = views.open::<List>(&SourceName::default()).await.unwrap();
    let ids: Vec<String> = IDS.iter().map(ToString::to_string).collect();
    let stored = repository.guarded().unwrap().load(&ids).await.unwrap();
    let claimed =
        views.checkpoints().load("lists").await.unwrap().first().map_or(0, |found| found.position.as_u64());
    let by_id: BTreeMap<usize, _> = stored.into_iter().collect();
    for id in 0..IDS.len() {
        let (state, position) = match by_id.get(&id) {
            Some(stored) => (stored.state.as_ref().map(|list| list.entries.clone()), stored.position.as_u64()),
            None => (None, 0),
        };
        let upto = usize::try_from(position.max(claimed)).unwrap();
        assert_entries(&state, &folded(history, id, upto), id, upto);
    }
}

fn assert_entries(found: &Option<Vec<i64>>, expected: &Option<Vec<i64>>, id: usize, upto: usize) {
    assert_eq!(found, expected, "instance {} up to position {upto}", IDS[id]);
}

#[derive(Debug, Clone)]
struct Run {
    batch_size: usize,
    budget: Option<usize>,
    cached: bool,
    retries: bool,
    faults: Vec<(usize, Fault)>,
    stop_after: Option<u8>,
}

fn run() -> impl Strategy<Value = Run> {
    let faults = prop::collection::vec((0..20_usize, fault()), 0..4);
    let budget = prop::option::of(prop_oneof![Just(1), 200..4000_usize, Just(1 << 30)]);
    (2..8_usize, budget, any::<bool>(), any::<bool>(), faults, prop::option::of(0..60_u8)).prop_map(
        |(batch_size, budget, cached, retries, faults, stop_after)| {
            // A batch size of 1 cannot have a budget.
            let batch_size = if budget.is_none() { batch_size - 1 } else { batch_size };
            Run { batch_size, budget, cached, retries, faults, stop_after }
        },
    )
}

async fn drive(run: &Run, events: &InMemoryEventStore, views: &InMemoryViews) {
    let repository = FaultyRepository::new(views.open::<List>(&events.source()).await.unwrap());
    for (nth, fault) in &run.faults {
        repository.inject(*nth, *fault);
    }
    let mut options = options(run.batch_size).to_builder();
    if !run.cached {
        options = options.cache_bytes(0);
    }
    if run.retries {
        options = options.retry(RetryStrategy::fixed(Duration::ZERO).with_attempts(3).unwrap());
    }
    if let Some(budget) = run.budget {
        options = options.memory_budget(budget);
    }
    // Small pages, so that there are several also where pages are folded as they come.
    let events = Paged { events: events.clone(), limit: run.batch_size };
    let feed = feed_into(Arc::new(repository), options.build().unwrap(), &events, views);
    let stopping = async {
        if let Some(after) = run.stop_after {
            for _ in 0..after {
                tokio::task::yield_now().await;
            }
            feed.stop();
        }
    };
    // It may fail or be stopped: what is stored must be right all the same.
    drop(tokio::join!(feed.catch_up(), stopping));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    // spec: P8, P10, P11, P12, B3, B11, B12, B18
    #[test]
    fn stored_instances_are_the_fold_of_their_events_up_to_their_position(
        history in prop::collection::vec(happened(), 0..40),
        runs in prop::collection::vec(run(), 1..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (events, views) = (store(&history), InMemoryViews::new());
            for run in &runs {
                drive(run, &events, &views).await;
                check(&history, &views).await;
            }
            let last = Run { batch_size: 3, budget: None, cached: true, retries: false, faults: Vec::new(), stop_after: None };
            drive(&last, &events, &views).await;
            for (id, name) in IDS.iter().enumerate() {
                let found = views.get::<List>(&(*name).to_owned()).unwrap().map(|list| list.entries);
                assert_entries(&found, &folded(&history, id, history.len()), id, history.len());
            }
        });
    }
}

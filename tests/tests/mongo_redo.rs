//! A batch that failed partway and is done again gives the states of events folded one by one.

use std::collections::{BTreeMap, BTreeSet};

use acceptance::{
    conformance::{Tally, View, change, checkpoints, leases, load},
    on_each_kind_of_server,
    server::{Kind, TestDatabase, with_database_on},
};
use bson::{Document, doc};
use projection_core::{
    Position, ViewStore,
    store::{ChangeOutcome, Commit, Expected, Fence, SharedRepository, SourceName, Stored},
};
use projection_mongo::MongoViews;
use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};

on_each_kind_of_server!(
    a_batch_that_failed_partway_and_is_done_again_gives_the_same_states,
    a_batch_of_an_owner_that_failed_and_is_done_again_gives_the_same_states,
);

type Repository = SharedRepository<View<Tally, i64>>;

/// An event: which instance it changes, and whether it deletes it.
type Event = (i64, bool);

#[derive(Debug, Clone)]
struct Batch {
    events: Vec<Event>,
    /// Which command fails in the first attempt, and how.
    fault: Option<(&'static str, bool)>,
    /// Whether a checkpoint is stored afterwards.
    checkpoint: bool,
}

fn batches() -> impl Strategy<Value = Vec<Batch>> {
    let events = prop::collection::vec((0..5_i64, prop::bool::weighted(0.3)), 1..8);
    let fault = prop::option::weighted(
        0.7,
        (prop::sample::select(vec!["insert", "update", "delete", "commitTransaction"]), any::<bool>()),
    );
    let batch =
        (events, fault, any::<bool>()).prop_map(|(events, fault, checkpoint)| Batch { events, fault, checkpoint });
    prop::collection::vec(batch, 1..8)
}

/// A fold that does not commute.
fn fold(state: Option<Tally>, position: u32, deletes: bool) -> Option<Tally> {
    if deletes {
        return None;
    }
    let mut state = state.unwrap_or(Tally { n: 0, log: Vec::new() });
    state.n += 1;
    state.log.push(position.to_string());
    Some(state)
}

/// Loads, folds what is new, writes. Whether everything is written.
async fn attempt(repository: &Repository, owner: Option<&Fence>, events: &[(u32, Event)]) -> bool {
    let ids: Vec<i64> = events.iter().map(|(_, (id, _))| *id).collect::<BTreeSet<_>>().into_iter().collect();
    let mut folded = Vec::new();
    for (id, stored) in ids.into_iter().zip(load(&**repository, &ids_of(events)).await) {
        let Stored { mut state, position, .. } =
            stored.clone().unwrap_or(Stored { state: None, position: Position::START, offered: vec![], bytes: 0 });
        let new = events.iter().filter(|(at, (of, _))| *of == id && Position::from(*at) > position);
        let mut last = None;
        for (at, (_, deletes)) in new {
            state = fold(state, *at, *deletes);
            last = Some(*at);
        }
        let expected = stored.map_or(Expected::Absent, |stored| Expected::At(stored.position));
        match last {
            // Created and deleted within the batch: nothing is written.
            Some(_) if state.is_none() && expected == Expected::Absent => {}
            Some(last) => folded.push((id, state, last, expected)),
            None => {}
        }
    }
    let changes: Vec<_> =
        folded.iter().map(|(id, state, last, expected)| change(id, state.as_ref(), *last, *expected)).collect();
    let last = events.last().map_or(0, |(at, _)| *at);
    let checkpoint = owner.map(|_| checkpoints::checkpoint("view", 1, 0, last));
    let commit = Commit { changes: &changes, fence: owner, checkpoint: checkpoint.as_ref() };
    let outcomes = repository.guarded().unwrap().commit(commit).await.outcomes;
    outcomes.iter().all(|outcome| matches!(outcome, ChangeOutcome::Written { .. }))
}

fn ids_of(events: &[(u32, Event)]) -> Vec<i64> {
    events.iter().map(|(_, (id, _))| *id).collect::<BTreeSet<_>>().into_iter().collect()
}

async fn run(database: &TestDatabase, batches: &[Batch], owned: bool) {
    let views = MongoViews::new(database.database.clone());
    let owner = if owned { Some(leases::wait_for(&*views.leases().unwrap(), "owner").await) } else { None };
    let owner = owner.as_ref();
    let open = async || views.open::<View<Tally, i64>>(&SourceName::default()).await.unwrap();
    let mut repository: Repository = open().await;
    let mut expected: BTreeMap<i64, Option<Tally>> = BTreeMap::new();
    let mut position = 0;
    for batch in batches {
        let events: Vec<_> = ((position + 1)..).zip(batch.events.iter().copied()).collect();
        for (at, (id, deletes)) in &events {
            position = *at;
            let state = expected.remove(id).flatten();
            expected.insert(*id, fold(state, *at, *deletes));
        }
        if let Some((command, is_applied)) = batch.fault {
            let how = if is_applied {
                doc! { "writeConcernError": { "code": 91, "errmsg": "not confirmed" } }
            } else {
                doc! { "closeConnection": true }
            };
            let point = database.fail(&[command], 1, how).await;
            if !attempt(&repository, owner, &events).await {
                // As after a crash.
                repository = open().await;
            }
            point.off().await;
        }
        assert!(attempt(&repository, owner, &events).await, "without a fault everything is written");
        if batch.checkpoint {
            repository.guarded().unwrap().checkpoint_passed(Position::from(position)).await.unwrap();
        }
        let ids: Vec<_> = expected.keys().copied().collect();
        for (id, stored) in ids.iter().zip(load(&*repository, &ids).await) {
            assert_eq!(stored.and_then(|stored| stored.state), expected[id], "instance {id} after {batch:?}");
        }
    }
    repository.guarded().unwrap().checkpoint_passed(Position::from(position)).await.unwrap();
    for (id, state) in &expected {
        assert_eq!(repository.find_by_id(id).await.unwrap(), *state);
    }
    let plain = database.plain().await;
    assert_eq!(plain.collection::<Document>("view.v1.tombstones").count_documents(doc! {}).await.unwrap(), 0);
    plain.collection::<Document>("view.v1").delete_many(doc! {}).await.unwrap();
}

// spec: B11, B18, P11
async fn a_batch_that_failed_partway_and_is_done_again_gives_the_same_states(server: Kind) {
    with_database_on(server, |database| async move {
        let mut runner = TestRunner::default();
        for _ in 0..12 {
            let batches = batches().new_tree(&mut runner).unwrap().current();
            println!("{batches:#?}");
            run(&database, &batches, false).await;
        }
    })
    .await;
}

// spec: B11, B18, P11
async fn a_batch_of_an_owner_that_failed_and_is_done_again_gives_the_same_states(server: Kind) {
    with_database_on(server, |database| async move {
        let mut runner = TestRunner::default();
        for _ in 0..12 {
            let batches = batches().new_tree(&mut runner).unwrap().current();
            println!("{batches:#?}");
            run(&database, &batches, true).await;
        }
    })
    .await;
}

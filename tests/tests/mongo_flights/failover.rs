//! A replica set of three whose primary is killed and steps down during the replay: the documents are those of a replay
//! that nothing disturbed.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use acceptance::server::{OwnReplicaSet, TestDatabase};
use bson::{Document, doc};
use flights::{
    input,
    mongo::FlightsDatabase,
    replay::{ReplayError, ReplayOptions, replay},
};
use projection_core::{Phase, Progress};
use tokio::{
    sync::{oneshot, watch},
    task::JoinHandle,
};

use crate::{
    WEEK, beginning,
    documents::{Documents, assert_same, import, read},
};

/// So small that a replay lasts long enough to be disturbed a few times.
const BATCH: usize = 40;
const LIMIT: Duration = Duration::from_secs(120);

type Watched = Vec<watch::Receiver<Progress>>;

// spec: B11, B12, B33
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_that_is_lost_in_the_replay_shows_in_no_document() {
    disturbed(&beginning(1000), 3).await;
}

// spec: B11, B12, B33
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes; run it with `cargo xtask test -- -p acceptance --test mongo_flights fifty -- --ignored --nocapture`"]
async fn a_primary_that_is_lost_fifty_times_shows_in_no_document() {
    disturbed(WEEK, 50).await;
}

/// Replays again and again, until the primary was lost so many times.
async fn disturbed(flights: &str, times: u32) {
    let set = OwnReplicaSet::of(3).await;
    let test = set.database().await;
    let history = input::read(flights.as_bytes(), |row| panic!("{row}")).unwrap();
    import(&test, &history).await;
    let (undisturbed, _) = begun(&test).await;
    undisturbed.await.unwrap().unwrap();
    let expected = found(&test).await;
    println!("{} events, {} documents", history.len(), expected.values().map(Vec::len).sum::<usize>());

    let (mut lost, mut replays) = (0, 0);
    while lost < times {
        replays += 1;
        let (replaying, watched) = begun(&test).await;
        let (before, since, outages) = (lost, Instant::now(), outages(&watched));
        while lost < times && go_on(&watched, 2 + lost * 7 % 23, &replaying).await {
            if lost % 2 == 0 {
                set.step_down().await;
            } else {
                set.lose_primary().await;
            }
            lost += 1;
        }
        let replayed = tokio::time::timeout(LIMIT, replaying).await.expect("the replay ends");
        replayed.unwrap().unwrap();
        assert_same(&found(&test).await, &expected, &format!("replay {replays}, primary lost {lost} times"));
        println!(
            "replay {replays}: {:.1} s, primary lost {} times, {} times a view was retrying, all documents the same",
            since.elapsed().as_secs_f64(),
            lost - before,
            outages.load(Ordering::Relaxed),
        );
    }
    println!("{lost} times in {replays} replays");
}

/// Begins a replay of the whole history in one runtime, and waits until it has.
async fn begun(test: &TestDatabase) -> (JoinHandle<Result<(), ReplayError>>, Watched) {
    let database = FlightsDatabase::new(test.database.clone());
    // The client may not have found the new primary.
    let since = Instant::now();
    while database.drop_views().await.is_err() || database.events().await.is_err() {
        assert!(since.elapsed() < LIMIT, "no primary is found");
    }
    let (events, views) = (database.events().await.unwrap(), database.views());
    let (tell, told) = oneshot::channel();
    let tell = |watched| _ = tell.send(watched);
    let options = ReplayOptions { batch_size: Some(BATCH), ..ReplayOptions::default() };
    let replaying = tokio::spawn(async move { replay(events, views, &options, tell).await });
    (replaying, told.await.expect("it begins"))
}

/// Counts how often a view is seen retrying.
fn outages(watched: &Watched) -> Arc<AtomicU32> {
    let seen = Arc::new(AtomicU32::new(0));
    for mut progress in watched.iter().cloned() {
        let seen = Arc::clone(&seen);
        tokio::spawn(async move {
            while progress.wait_for(|progress| progress.phase == Phase::Retrying).await.is_ok() {
                seen.fetch_add(1, Ordering::Relaxed);
                if progress.wait_for(|progress| progress.phase != Phase::Retrying).await.is_err() {
                    return;
                }
            }
        });
    }
    seen
}

/// Waits until so many batches more are flushed. `false` if the replay ends before.
async fn go_on(watched: &Watched, batches: u32, replaying: &JoinHandle<Result<(), ReplayError>>) -> bool {
    let flushed = || watched.iter().map(|progress| progress.borrow().batches).sum::<u64>();
    let (from, since) = (flushed(), Instant::now());
    while flushed() < from + u64::from(batches) {
        if replaying.is_finished() {
            return false;
        }
        assert!(since.elapsed() < LIMIT, "the replay does not go on: {watched:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    true
}

/// The documents, with where each view's checkpoint stands.
async fn found(test: &TestDatabase) -> Documents {
    let mut documents = read(test).await;
    let checkpoints = test.plain().await.collection::<Document>("projection.checkpoints");
    for view in ["aircraft", "carriers", "flights", "routes", "records"] {
        let at = checkpoints.find_one(doc! { "projection": view }).await.unwrap().expect("it has a checkpoint");
        documents.insert(format!("the checkpoint of {view}"), vec![doc! { "at": at.get_i64("position").unwrap() }]);
    }
    documents
}

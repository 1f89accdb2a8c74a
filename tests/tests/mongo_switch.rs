//! From history to live while writers write, in MongoDB; also while the primary steps down.

use acceptance::{
    server::{OwnReplicaSet, with_database},
    switch::writers_over_the_switch,
};
use mongodb::Database;
use projection_mongo::{MongoEvents, MongoEventsOptions, MongoViews};

async fn open(database: &Database) -> MongoEvents {
    MongoEvents::open(database, "events", MongoEventsOptions::new()).await.unwrap()
}

// spec: P20, P23, B1, B20
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_doubled_or_reordered() {
    for seed in 0..30 {
        with_database(move |test| async move {
            let events = open(&test.database).await;
            writers_over_the_switch(&events, &MongoViews::new(test.database.clone()), seed).await;
        })
        .await;
    }
}

/// One switch after another, each with a primary that steps down meanwhile.
async fn stepping_down(times: u64) {
    let set = OwnReplicaSet::of(3).await;
    for seed in 0..times {
        set.settled().await;
        let test = set.database().await;
        let (events, views) = (open(&test.database).await, MongoViews::new(test.database.clone()));
        let switching = tokio::spawn(async move { writers_over_the_switch(&events, &views, seed).await });
        tokio::time::sleep(std::time::Duration::from_millis(seed * 37 % 400)).await;
        set.step_down().await;
        switching.await.unwrap();
        println!("seed {seed}: the same");
    }
}

// spec: P20, P23, B1, B20, B33
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_that_steps_down_over_the_switch_shows_in_no_view() {
    stepping_down(2).await;
}

// spec: P20, P23, B1, B20, B33
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes; run it with `cargo xtask test -- -p acceptance --test mongo_switch fifty -- --ignored --nocapture`"]
async fn a_primary_that_steps_down_fifty_times_over_the_switch_shows_in_no_view() {
    stepping_down(50).await;
}

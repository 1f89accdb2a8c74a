//! How many events make a batch does not show in the documents.

use std::path::Path;

use acceptance::server::{Kind, TestDatabase, with_database, with_database_on};
use flights::{
    input,
    mongo::FlightsDatabase,
    replay::ReplayOptions,
    run::{RunOptions, run},
    summary::Summary,
};

use crate::{
    WEEK, beginning,
    documents::{self, Documents, import},
};

/// Replays what is in the database from its beginning.
async fn replayed(test: &TestDatabase, events: u64, batch_size: Option<usize>) -> (Documents, Summary) {
    let database = FlightsDatabase::new(test.database.clone());
    database.drop_views().await.unwrap();
    let options =
        RunOptions { events, malformed: 0, replay: ReplayOptions { batch_size, ..ReplayOptions::default() } };
    let outcome =
        run(database.events().await.unwrap(), database.views(), &database, options, |_| {}).await.unwrap();
    (documents::read(test).await, outcome.summary)
}

fn assert_same(found: &Documents, expected: &Documents, batch_size: Option<usize>) {
    documents::assert_same(found, expected, &format!("a replay with a batch size of {batch_size:?}"));
}

// spec: P1, P3, P8
#[tokio::test]
async fn a_batch_of_one_of_seven_and_of_everything_give_the_same_documents() {
    batch_sizes(Kind::ReplicaSet).await;
}

// spec: P1, P3, P8
#[tokio::test]
async fn and_on_a_standalone_server() {
    batch_sizes(Kind::Standalone).await;
}

async fn batch_sizes(server: Kind) {
    with_database_on(server, |test| async move {
        let history = input::read(beginning(150).as_bytes(), |row| panic!("{row}")).unwrap();
        import(&test, &history).await;
        let (expected, _) = replayed(&test, history.len(), None).await;
        assert!(expected.len() >= 6, "{:?}", expected.keys());
        for batch_size in [Some(1), Some(7), Some(1_000_000)] {
            assert_same(&replayed(&test, history.len(), batch_size).await.0, &expected, batch_size);
        }
    })
    .await;
}

// spec: P1, P8
#[tokio::test]
async fn the_week_gives_the_same_documents_for_every_batch_size_and_its_checks_are_right() {
    with_database(|test| async move {
        let history = input::read(WEEK.as_bytes(), |row| panic!("{row}")).unwrap();
        import(&test, &history).await;
        let (expected, summary) = replayed(&test, history.len(), Some(200)).await;
        let checks = serde_json::to_value(&summary).unwrap()["checks"].clone();
        assert_eq!(
            checks,
            serde_json::json!({ "flights": 6099, "departed": 6064, "arrived": 6061, "cancelled": 35 })
        );
        for batch_size in [Some(1000), Some(1_000_000)] {
            assert_same(&replayed(&test, history.len(), batch_size).await.0, &expected, batch_size);
        }
    })
    .await;
}

// spec: P1, P8
#[tokio::test]
#[ignore = "takes minutes, and needs `cargo xtask data`; run it with `cargo xtask test -- --test mongo_flights -- --ignored`"]
async fn the_year_gives_the_same_documents_for_every_batch_size() {
    with_database(|test| async move {
        let year = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/flights.csv");
        let file = std::fs::File::open(&year).expect("`cargo xtask data` brings the flights of the year");
        let history = input::read(file, |row| panic!("{row}")).unwrap();
        import(&test, &history).await;
        let (expected, summary) = replayed(&test, history.len(), Some(200)).await;
        let checks = serde_json::to_value(&summary).unwrap()["checks"].clone();
        assert_eq!(
            checks,
            serde_json::json!({ "flights": 336_776, "departed": 328_521, "arrived": 328_063, "cancelled": 8255 })
        );
        for batch_size in [Some(1000), Some(2_000_000)] {
            assert_same(&replayed(&test, history.len(), batch_size).await.0, &expected, batch_size);
        }
    })
    .await;
}

//! The flights of the week come out of every store the same, byte by byte.

use std::collections::BTreeMap;

use acceptance::server::with_database;
use flights::{
    history::FlightHistory,
    input, memory,
    mongo::FlightsDatabase,
    run::{RunOptions, run},
    sqlite::FlightsFile,
    stored::StoredViews,
    views::{self, Airborne, Aircraft, AirportTraffic, FlightStatus, Punctuality, Records, route_traffic},
};
use projection_core::{Key, Projection, memory::InMemoryViews};
use projection_sqlite::rusqlite::Connection;

const WEEK: &str = include_str!("../../examples/flights/data/flights-2013-01-01-to-07.csv");

/// Every document of every view as JSON, by view and id.
type Documents = BTreeMap<(&'static str, String), String>;

async fn add<P: Projection>(documents: &mut Documents, stored: &impl StoredViews) {
    let visit = |id: P::Id, state: P::State| {
        documents.insert((P::NAME, id.as_key().to_string()), serde_json::to_string(&state).unwrap());
    };
    stored.each::<P>(visit).await.unwrap();
}

async fn documents(stored: &impl StoredViews) -> Documents {
    let mut documents = Documents::new();
    add::<Punctuality>(&mut documents, stored).await;
    add::<Aircraft>(&mut documents, stored).await;
    add::<AirportTraffic>(&mut documents, stored).await;
    add::<route_traffic>(&mut documents, stored).await;
    add::<FlightStatus>(&mut documents, stored).await;
    add::<Airborne>(&mut documents, stored).await;
    add::<Records>(&mut documents, stored).await;
    documents
}

fn week() -> (FlightHistory, RunOptions) {
    let history = input::read(WEEK.as_bytes(), |row| panic!("{row}")).unwrap();
    let options = RunOptions { events: history.len(), ..RunOptions::default() };
    (history, options)
}

async fn in_memory() -> Documents {
    let (history, options) = week();
    let (events, views) = (memory::events_of(&history).unwrap(), InMemoryViews::new());
    run(events, views.clone(), &views, options, |_| {}).await.unwrap();
    documents(&views).await
}

/// Compares without printing thousands of documents.
fn assert_same(found: &Documents, expected: &Documents) {
    assert_eq!(found.len(), expected.len());
    for (expected, found) in expected.iter().zip(found) {
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn the_week_is_in_sqlite_byte_by_byte_what_it_is_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("week.db");
    let (history, options) = week();
    let file = FlightsFile::open(&path).await.unwrap();
    file.import(&history, 0, &options.replay.stop, |_| {}).await.unwrap();
    run(file.events(), file.views(), &file, options, |_| {}).await.unwrap();

    // The texts in the file, not what they decode to.
    let plain = Connection::open(&path).unwrap();
    let mut texts = Documents::new();
    for (view, _) in views::ALL {
        let mut select = plain.prepare(&format!("SELECT id, state FROM \"{view}\"")).unwrap();
        let rows = select.query_map([], |row| Ok(((view, row.get(0)?), row.get(1)?))).unwrap();
        texts.extend(rows.map(Result::unwrap));
    }
    let expected = in_memory().await;
    assert!(expected.len() > 8_000, "{}", expected.len());
    assert_same(&texts.into_iter().map(as_in_memory).collect(), &expected);
    assert_same(&documents(&file).await, &expected);
}

/// Ids of text are shown in quotes.
fn as_in_memory(((view, id), state): ((&'static str, String), String)) -> ((&'static str, String), String) {
    ((view, projection_core::KeyRef::Text(&id).to_string()), state)
}

#[tokio::test]
async fn the_week_is_in_mongodb_byte_by_byte_what_it_is_in_memory() {
    with_database(|test| async move {
        let (history, options) = week();
        let database = FlightsDatabase::new(test.database.clone());
        database.import(&history, 0, || ()).await.unwrap();
        run(database.events().await.unwrap(), database.views(), &database, options, |_| {}).await.unwrap();
        assert_same(&documents(&database).await, &in_memory().await);
    })
    .await;
}

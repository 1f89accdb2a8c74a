//! How many events make a batch does not show in any view.

#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test, what fails is to panic")]

use std::collections::BTreeMap;

use flights::{
    history::FlightHistory,
    input, memory,
    replay::{ReplayOptions, replay},
    views::{Airborne, Aircraft, AirportTraffic, FlightStatus, Punctuality, Records, route_traffic},
};
use projection_core::{Key, Projection, memory::InMemoryViews};

const WEEK: &str = include_str!("../data/flights-2013-01-01-to-07.csv");

/// Every document of every view, as JSON by view and id.
type Documents = BTreeMap<(&'static str, String), String>;

fn add<P: Projection>(documents: &mut Documents, views: &InMemoryViews) {
    for (id, state) in views.all::<P>().unwrap() {
        documents.insert((P::NAME, id.as_key().to_string()), serde_json::to_string(&state).unwrap());
    }
}

async fn replayed(history: &FlightHistory, batch_size: Option<usize>) -> Documents {
    let views = InMemoryViews::new();
    let options = ReplayOptions { batch_size, ..ReplayOptions::default() };
    replay(memory::events_of(history).unwrap(), views.clone(), &options, |_| {}).await.unwrap();
    let mut documents = Documents::new();
    add::<Punctuality>(&mut documents, &views);
    add::<Aircraft>(&mut documents, &views);
    add::<AirportTraffic>(&mut documents, &views);
    add::<route_traffic>(&mut documents, &views);
    add::<FlightStatus>(&mut documents, &views);
    add::<Airborne>(&mut documents, &views);
    add::<Records>(&mut documents, &views);
    documents
}

#[tokio::test]
async fn a_batch_of_one_of_seven_and_of_everything_give_the_same_documents() {
    let history = input::read(WEEK.as_bytes(), |row| panic!("{row}")).unwrap();
    let one_by_one = replayed(&history, Some(1)).await;
    assert!(one_by_one.len() > 8_000, "{}", one_by_one.len());
    for batch_size in [Some(7), None, Some(1_000_000)] {
        let batched = replayed(&history, batch_size).await;
        assert!(batched == one_by_one, "a batch size of {batch_size:?} gives other documents than 1");
    }
}

#[tokio::test]
async fn a_history_that_is_replayed_again_changes_nothing() {
    let history = input::read(WEEK.as_bytes(), |row| panic!("{row}")).unwrap();
    let (events, views) = (memory::events_of(&history).unwrap(), InMemoryViews::new());
    for _ in 0..2 {
        replay(events.clone(), views.clone(), &ReplayOptions::default(), |_| {}).await.unwrap();
    }
    let mut documents = Documents::new();
    add::<Punctuality>(&mut documents, &views);
    let once = replayed(&history, None).await;
    assert!(documents.iter().all(|(id, document)| once[id] == *document));
}

//! Events that come after views have passed their positions: what they change is folded anew.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use acceptance::{
    notes::{Noted, Notes},
    server::{TestDatabase, with_database},
};
use bson::{Document, doc, oid::ObjectId};
use projection_core::{
    Phase, Position, ProjectionRuntime, StreamId, ViewStore, memory::InMemoryViews, projection, store::SourceName,
};
use projection_mongo::{Filling, MongoEvents, MongoEventsOptions, MongoViews, MongoViewsOptions, Transactions};
use serde::{Deserialize, Serialize};

const LIMIT: Duration = Duration::from_secs(60);
const HORIZON: Duration = Duration::from_secs(1);

/// The highest of all, which takes no `Cleared`.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
struct Sum {
    count: i64,
    last: i64,
}

#[projection(name = "sum", singleton)]
impl Sum {
    #[on]
    fn noted(&mut self, event: &Noted) {
        (self.count, self.last) = (self.count + 1, event.n);
    }
}

fn noted(position: i64, stream: &str) -> Document {
    doc! {
        "_id": ObjectId::new(), "id": position.to_string(), "type": "Noted", "streamid": stream,
        "position": position, "data": { "n": position },
    }
}

fn cleared(position: i64, stream: &str) -> Document {
    doc! {
        "_id": ObjectId::new(), "id": position.to_string(), "type": "Cleared", "streamid": stream,
        "position": position, "data": {},
    }
}

async fn insert(test: &TestDatabase, events: impl IntoIterator<Item = Document>) {
    test.plain().await.collection::<Document>("events").insert_many(events).await.unwrap();
}

async fn open(test: &TestDatabase, horizon: Duration) -> MongoEvents {
    let options = MongoEventsOptions::occurrent().with_filling(Filling::Late { horizon });
    let index = mongodb::options::IndexOptions::builder().unique(true).sparse(true).build();
    let index = mongodb::IndexModel::builder().keys(doc! { "position": 1 }).options(index).build();
    test.plain().await.collection::<Document>("events").create_index(index).await.unwrap();
    MongoEvents::open(&test.database, "events", options).await.unwrap()
}

async fn start(events: &MongoEvents, views: impl ViewStore) -> ProjectionRuntime {
    let runtime = ProjectionRuntime::builder(events.clone(), views)
        .register::<Notes>()
        .register::<Sum>()
        .poll_interval(Duration::from_millis(20))
        .start()
        .await
        .unwrap();
    tokio::time::timeout(LIMIT, runtime.caught_up()).await.unwrap().unwrap();
    runtime
}

async fn at(runtime: &ProjectionRuntime, position: i64) {
    for mut progress in runtime.progress() {
        let there = progress.wait_for(|progress| progress.position.as_i64() >= position);
        tokio::time::timeout(LIMIT, there).await.expect("it should get there").unwrap();
    }
}

async fn entries(runtime: &ProjectionRuntime, stream: &str) -> Option<Vec<i64>> {
    let view = runtime.view::<Notes>().unwrap();
    view.find(&StreamId::from(stream)).await.unwrap().map(|notes| notes.entries)
}

async fn until<T: PartialEq + std::fmt::Debug, F: Future<Output = T>>(expected: T, is: impl Fn() -> F) {
    let since = Instant::now();
    loop {
        let found = is().await;
        if found == expected {
            return;
        }
        assert!(since.elapsed() < LIMIT, "found {found:?}, expected {expected:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn stores(test: &TestDatabase) -> [MongoViews; 2] {
    [Transactions::Always, Transactions::Never].map(|way| {
        let options = MongoViewsOptions::new().with_transactions(way);
        MongoViews::with_options(test.database.clone(), options)
    })
}

/// The position of each instance, as it is stored.
async fn position(test: &TestDatabase, stream: &str) -> i64 {
    let notes = test.plain().await.collection::<Document>("notes.v1");
    let found = notes.find_one(doc! { "_id": stream }).await.unwrap().unwrap();
    let ours = found.get_document("_projection").unwrap().get_document("position").unwrap();
    ours.get_i64(SourceName::default().as_str()).unwrap()
}

async fn is_put_right(test: &TestDatabase, runtime: &ProjectionRuntime, events: &MongoEvents) {
    insert(test, [noted(1, "a"), noted(2, "b"), noted(4, "a"), cleared(5, "c"), noted(7, "b")]).await;
    at(runtime, 7).await;
    assert_eq!(entries(runtime, "a").await.unwrap(), [1, 4]);
    // In the middle of one, and one that a later event has deleted; they come in the other order.
    insert(test, [noted(6, "d"), noted(3, "a")]).await;
    until(Some(vec![1, 3, 4]), || entries(runtime, "a")).await;
    until(Some(vec![6]), || entries(runtime, "d")).await;
    until(Sum { count: 6, last: 7 }, || async {
        runtime.view::<Sum>().unwrap().find(&projection_core::Singleton).await.unwrap().unwrap()
    })
    .await;
    assert_eq!(entries(runtime, "b").await.unwrap(), [2, 7]);
    assert_eq!(entries(runtime, "c").await, None);
    assert_eq!(events.late_arrivals(), 2);
    // It goes on from there, and nothing is applied twice.
    insert(test, [noted(8, "a"), noted(9, "d")]).await;
    until(Some(vec![1, 3, 4, 8]), || entries(runtime, "a")).await;
    until(Some(vec![6, 9]), || entries(runtime, "d")).await;
    assert!(runtime.list().iter().all(|status| status.progress.phase == Phase::Live));
}

// spec: H2, B11
#[tokio::test]
async fn what_a_late_event_changes_is_folded_anew_in_position_order() {
    for way in 0..2 {
        with_database(move |test| async move {
            let events = open(&test, HORIZON).await;
            let runtime = start(&events, stores(&test)[way].clone()).await;
            is_put_right(&test, &runtime, &events).await;
            assert_eq!((position(&test, "a").await, position(&test, "b").await), (8, 7));
            runtime.shutdown().await;
        })
        .await;
    }
}

#[tokio::test]
async fn views_in_memory_are_put_right_too() {
    with_database(|test| async move {
        let events = open(&test, HORIZON).await;
        let runtime = start(&events, InMemoryViews::new()).await;
        is_put_right(&test, &runtime, &events).await;
    })
    .await;
}

#[tokio::test]
async fn what_a_late_event_deletes_is_deleted() {
    with_database(|test| async move {
        let events = open(&test, HORIZON).await;
        let runtime = start(&events, MongoViews::new(test.database.clone())).await;
        insert(&test, [noted(1, "a"), noted(2, "b"), noted(4, "b"), noted(6, "z")]).await;
        at(&runtime, 6).await;
        insert(&test, [cleared(3, "b"), cleared(5, "a")]).await;
        until(Some(vec![4]), || entries(&runtime, "b")).await;
        until(None, || entries(&runtime, "a")).await;
        insert(&test, [noted(7, "a")]).await;
        until(Some(vec![7]), || entries(&runtime, "a")).await;
    })
    .await;
}

// spec: B12
#[tokio::test]
async fn after_a_restart_an_empty_position_is_waited_for_anew_and_what_was_passed_stays_passed() {
    with_database(|test| async move {
        let events = open(&test, HORIZON).await;
        let runtime = start(&events, MongoViews::new(test.database.clone())).await;
        insert(&test, [noted(1, "a"), noted(3, "a")]).await;
        at(&runtime, 3).await;
        runtime.shutdown().await;
        insert(&test, [noted(5, "a")]).await;
        let events = open(&test, Duration::from_secs(600)).await;
        let runtime = start(&events, MongoViews::new(test.database.clone())).await;
        // Both are open for this process; the first was closed by the one before, whose checkpoint stands.
        assert_eq!(entries(&runtime, "a").await.unwrap(), [1, 3]);
        insert(&test, [noted(4, "a")]).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(entries(&runtime, "a").await.unwrap(), [1, 3]);
        insert(&test, [noted(2, "other")]).await;
        until(Some(vec![1, 3, 4, 5]), || entries(&runtime, "a")).await;
        assert_eq!(events.late_arrivals(), 0);
    })
    .await;
}

// spec: H2
#[tokio::test]
async fn however_many_come_late_each_view_ends_as_the_fold_in_position_order() {
    with_database(|test| async move {
        const EVENTS: i64 = 400;
        let mut random = fastrand::Rng::with_seed(7);
        let events = open(&test, HORIZON).await;
        let runtime = start(&events, MongoViews::new(test.database.clone())).await;
        let stream = |position: i64| format!("s-{}", position % 13);
        let mut expected: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        let mut withheld = Vec::new();
        let mut all: Vec<i64> = (1..=EVENTS).collect();
        for position in &all {
            expected.entry(stream(*position)).or_default().push(*position);
        }
        all.retain(|position| {
            let late = *position < EVENTS && random.u8(..) < 30;
            if late {
                withheld.push(*position);
            }
            !late
        });
        random.shuffle(&mut all);
        insert(&test, all.into_iter().map(|position| noted(position, &stream(position)))).await;
        at(&runtime, EVENTS).await;
        random.shuffle(&mut withheld);
        for some in withheld.chunks(9) {
            insert(&test, some.iter().map(|position| noted(*position, &stream(*position)))).await;
            tokio::time::sleep(Duration::from_millis(random.u64(0..60))).await;
        }
        insert(&test, [noted(EVENTS + 1, "last")]).await;
        for (stream, entries_expected) in expected {
            until(Some(entries_expected), || entries(&runtime, &stream)).await;
        }
        assert_eq!(events.late_arrivals(), withheld.len() as u64);
        until(Some(vec![EVENTS + 1]), || entries(&runtime, "last")).await;
        assert_eq!(runtime.list()[0].progress.position, Position::from(u32::try_from(EVENTS + 1).unwrap()));
    })
    .await;
}

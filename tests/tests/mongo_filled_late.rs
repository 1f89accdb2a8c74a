//! The mark of a collection whose positions others fill in any order, late, or never (spec: H2, as far as it can be kept).

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use acceptance::server::{TestDatabase, with_database};
use bson::{Document, doc, oid::ObjectId};
use projection_core::{
    EventStore as _, Filter, Position, StoreError,
    store::{EventPage as _, RawEvent as _, Window},
};
use projection_mongo::{EventFields, Filling, MongoEvents, MongoEventsOptions};

const LIMIT: Duration = Duration::from_secs(60);
/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(600);
/// Longer than a busy machine needs for a step, and soon over.
const SHORT: Duration = Duration::from_secs(2);

async fn open_with(test: &TestDatabase, horizon: Duration) -> MongoEvents {
    let options = MongoEventsOptions::new().written_by_others().with_filling(Filling::Late { horizon });
    MongoEvents::open(&test.database, "events", options).await.unwrap()
}

fn event(position: i64, id: ObjectId) -> Document {
    let name = if position % 2 == 0 { "Even" } else { "Odd" };
    doc! { "_id": id, "id": position.to_string(), "type": name, "position": position, "data": { "n": position } }
}

async fn insert(test: &TestDatabase, positions: impl IntoIterator<Item = i64>) {
    let events: Vec<_> = positions.into_iter().map(|position| event(position, ObjectId::new())).collect();
    test.plain().await.collection::<Document>("events").insert_many(events).await.unwrap();
}

/// An event whose `_id` was made so long ago.
fn aged(position: i64, age: Duration) -> Document {
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap() - age;
    let mut bytes = ObjectId::new().bytes();
    bytes[..4].copy_from_slice(&u32::try_from(seconds.as_secs()).unwrap().to_be_bytes());
    event(position, ObjectId::from_bytes(bytes))
}

async fn mark(store: &MongoEvents) -> i64 {
    store.mark().await.unwrap().as_i64()
}

async fn until_marked(store: &MongoEvents, position: i64) {
    let since = Instant::now();
    while mark(store).await < position {
        assert!(since.elapsed() < LIMIT, "{:?}", store.held_by().await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn positions(store: &MongoEvents, after: i64, filter: &Filter) -> Vec<i64> {
    let window = Window { after: Position::try_from(after).unwrap(), up_to: store.mark().await.unwrap() };
    let page = store.read(window, filter, 10_000).await.unwrap();
    assert_eq!(page.covers(), window.up_to.max(window.after));
    page.events().map(|event| event.position().as_i64()).collect()
}

#[tokio::test]
async fn the_mark_stands_below_the_lowest_position_that_is_empty() {
    with_database(|test| async move {
        let store = open_with(&test, LONG).await;
        assert_eq!(mark(&store).await, 0);
        insert(&test, [1, 2, 3, 5, 6, 9]).await;
        assert_eq!(mark(&store).await, 3);
        let held = store.held_by().await.unwrap().unwrap();
        assert!(held.starts_with("position 4, which is still empty"), "{held}");
        insert(&test, [8]).await;
        assert_eq!(mark(&store).await, 3);
        insert(&test, [4]).await;
        assert_eq!(mark(&store).await, 6);
        insert(&test, [7]).await;
        assert_eq!(mark(&store).await, 9);
        assert_eq!(store.held_by().await.unwrap(), None);
        assert_eq!(store.late_arrivals(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_filter_by_name_does_not_hide_an_empty_position() {
    with_database(|test| async move {
        let store = open_with(&test, LONG).await;
        insert(&test, [1, 2, 4, 6]).await;
        let even = Filter::all().with_names(["Even"]);
        assert_eq!(positions(&store, 0, &even).await, [2]);
        // Nothing that the filter passes is missing, and still the odd one is waited for.
        insert(&test, [5]).await;
        assert_eq!(positions(&store, 0, &even).await, [2]);
        insert(&test, [3]).await;
        assert_eq!(positions(&store, 0, &even).await, [2, 4, 6]);
    })
    .await;
}

#[tokio::test]
async fn a_position_that_is_never_filled_is_passed_after_the_horizon_and_not_before() {
    with_database(|test| async move {
        let store = open_with(&test, SHORT).await;
        insert(&test, [1, 3]).await;
        let since = Instant::now();
        assert_eq!(mark(&store).await, 1);
        until_marked(&store, 3).await;
        assert!(since.elapsed() >= SHORT, "{:?}", since.elapsed());
    })
    .await;
}

#[tokio::test]
async fn many_empty_positions_cost_one_horizon_together() {
    with_database(|test| async move {
        let store = open_with(&test, SHORT).await;
        insert(&test, (1..=2_000).map(|n| n * 3)).await;
        let since = Instant::now();
        until_marked(&store, 6_000).await;
        assert!(since.elapsed() < 5 * SHORT, "{:?}", since.elapsed());
    })
    .await;
}

#[tokio::test]
async fn the_gaps_of_a_history_are_closed_at_once_when_a_store_is_opened() {
    with_database(|test| async move {
        let day = Duration::from_secs(86_400);
        let minutes = Duration::from_secs(300);
        let horizon = Duration::from_secs(60);
        let history =
            (1..500).map(|n| aged(n * 10, day)).chain([aged(5_001, minutes), aged(5_003, Duration::ZERO)]);
        test.plain().await.collection("events").insert_many(history).await.unwrap();
        let store = open_with(&test, horizon).await;
        // What is below an event of some minutes is closed; what is below a fresh one may still come.
        assert_eq!(mark(&store).await, 5_001);
        insert(&test, [5_002]).await;
        assert_eq!(mark(&store).await, 5_003);
        assert_eq!(positions(&store, 4_990, &Filter::all()).await, [5_001, 5_002, 5_003]);
    })
    .await;
}

#[tokio::test]
async fn where_events_do_not_tell_their_age_the_first_look_waits_out_the_horizon() {
    with_database(|test| async move {
        let event = |n: i64| doc! { "_id": n, "seq": n, "kind": "A" };
        test.plain().await.collection("events").insert_many([5, 6, 9].map(event)).await.unwrap();
        let fields = EventFields::new().with_position("seq").with_id("_id").with_name("kind");
        let options = MongoEventsOptions::new().with_fields(fields).with_filling(Filling::Late { horizon: SHORT });
        let store = MongoEvents::open(&test.database, "events", options).await.unwrap();
        let since = Instant::now();
        assert_eq!(mark(&store).await, 9);
        assert!(since.elapsed() >= SHORT);
    })
    .await;
}

#[tokio::test]
async fn positions_that_are_filled_in_order_may_be_far_from_each_other() {
    with_database(|test| async move {
        let options = MongoEventsOptions::new().written_by_others().with_filling(Filling::InOrder);
        let store = MongoEvents::open(&test.database, "events", options).await.unwrap();
        insert(&test, [7, 1_700_000_000_000]).await;
        assert_eq!(mark(&store).await, 1_700_000_000_000);
    })
    .await;
}

#[tokio::test]
async fn a_horizon_that_makes_no_sense_is_refused() {
    with_database(|test| async move {
        let options = MongoEventsOptions::occurrent().with_filling(Filling::Late { horizon: Duration::ZERO });
        let error = MongoEvents::open(&test.database, "events", options).await.unwrap_err();
        assert!(error.to_string().contains("from 100 milliseconds to one hour"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn the_mark_is_found_in_the_index_alone() {
    with_database(|test| async move {
        let store = open_with(&test, LONG).await;
        insert(&test, (1..=1_000).chain([1_002])).await;
        test.database.run_command(doc! { "profile": 2 }).await.unwrap();
        assert_eq!(mark(&store).await, 1_000);
        test.database.run_command(doc! { "profile": 0 }).await.unwrap();
        let profile = test.plain().await.collection::<Document>("system.profile");
        let ran = profile.find(doc! { "op": "query", "command.find": "events" }).await.unwrap();
        let ran: Vec<Document> = futures::TryStreamExt::try_collect(ran).await.unwrap();
        let whole = |query: &Document, field: &str| query.get_i32(field).unwrap();
        assert!(ran.iter().map(|query| whole(query, "keysExamined")).sum::<i32>() < 1_300, "{ran:#?}");
        // That with the highest position, for its age.
        assert!(ran.iter().map(|query| whole(query, "docsExamined")).sum::<i32>() <= 1, "{ran:#?}");
    })
    .await;
}

/// Reads up to the mark until `last`, as an engine does, and says what it saw.
async fn follow(store: MongoEvents, after: i64, last: i64) -> Result<Vec<i64>, StoreError> {
    let (mut covered, mut seen) = (Position::try_from(after).unwrap(), Vec::new());
    let since = Instant::now();
    while covered.as_i64() < last {
        assert!(since.elapsed() < LIMIT, "{:?}", store.held_by().await);
        let up_to = store.mark().await?;
        while covered < up_to {
            let page = store.read(Window { after: covered, up_to }, &Filter::all(), 50).await?;
            seen.extend(page.events().map(|event| event.position().as_i64()));
            covered = page.covers();
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Ok(seen)
}

/// Writers take positions from a counter, outside of the transaction that uses them, and let some expire.
async fn write(test: TestDatabase, writer: u64, appends: u64) -> (Vec<i64>, Vec<i64>) {
    let database = test.plain().await;
    let (events, counter) = (database.collection::<Document>("events"), database.collection::<Document>("counter"));
    let mut random = fastrand::Rng::with_seed(writer);
    let (mut filled, mut never) = (Vec::new(), Vec::new());
    for _ in 0..appends {
        let count = random.i64(1..=5);
        let taken = counter
            .find_one_and_update(doc! { "_id": "position" }, doc! { "$inc": { "last": count } })
            .upsert(true)
            .return_document(mongodb::options::ReturnDocument::After)
            .await
            .unwrap()
            .unwrap();
        let last = taken.get_i64("last").unwrap();
        let mut positions: Vec<i64> = (last - count + 1..=last).collect();
        random.shuffle(&mut positions);
        tokio::time::sleep(Duration::from_millis(random.u64(0..20))).await;
        if random.u8(..) < 12 {
            never.extend(positions);
            continue;
        }
        let mut session = database.client().start_session().await.unwrap();
        session.start_transaction().await.unwrap();
        for position in &positions {
            events.insert_one(event(*position, ObjectId::new())).session(&mut session).await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(random.u64(0..20))).await;
        session.commit_transaction().await.unwrap();
        filled.extend(positions);
    }
    (filled, never)
}

#[tokio::test]
async fn beside_writers_that_fill_in_any_order_a_reader_sees_each_event_once_and_in_order() {
    with_database(|test| async move {
        let horizon = Duration::from_secs(10);
        // The counter is there, and so is the collection, so that no transaction has to make them.
        test.plain()
            .await
            .collection("counter")
            .insert_one(doc! { "_id": "position", "last": 1_i64 })
            .await
            .unwrap();
        insert(&test, [1]).await;
        let store = open_with(&test, horizon).await;
        let readers: Vec<_> = (0..2).map(|_| (store.clone(), open_with(&test, horizon))).collect();
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let mut following = Vec::new();
        for (shared, own) in readers {
            for store in [shared, own.await] {
                let mut stopped = stopped.clone();
                following.push(tokio::spawn(async move {
                    let mut seen = Vec::new();
                    loop {
                        let ended = *stopped.borrow_and_update();
                        let up_to = mark(&store).await;
                        let after = seen.last().copied().unwrap_or(0);
                        let more = follow(store.clone(), after, up_to.max(after)).await.unwrap();
                        seen.extend(more.into_iter().filter(|position| *position > after));
                        if ended {
                            return (store, seen);
                        }
                    }
                }));
            }
        }
        let writers: Vec<_> = (0..8).map(|writer| tokio::spawn(write(test.clone(), writer, 40))).collect();
        let (mut filled, mut never) = (vec![1], HashSet::new());
        for writer in writers {
            let (some, none) = writer.await.unwrap();
            filled.extend(some);
            never.extend(none);
        }
        filled.sort_unstable();
        assert!(!never.is_empty() && never.iter().all(|position| !filled.contains(position)));
        stop.send(true).unwrap();
        let last = *filled.last().unwrap();
        for following in following {
            let (store, mut seen) = following.await.unwrap();
            let after = seen.last().copied().unwrap_or(0);
            seen.extend(follow(store.clone(), after, last).await.unwrap());
            assert_eq!(seen, filled);
            assert_eq!(store.late_arrivals(), 0);
        }
    })
    .await;
}

#[tokio::test]
async fn an_event_that_comes_after_the_horizon_is_told_once_with_its_position() {
    with_database(|test| async move {
        let store = open_with(&test, SHORT).await;
        insert(&test, [1, 3]).await;
        assert_eq!(mark(&store).await, 1);
        // Opened late: what came since the first mark is heard all the same.
        until_marked(&store, 3).await;
        insert(&test, [2]).await;
        let mut listening = store.wake_up().await.unwrap().unwrap();
        let heard = async {
            loop {
                listening.woken().await.unwrap();
                let late = listening.late();
                if !late.is_empty() {
                    return late;
                }
            }
        };
        assert_eq!(tokio::time::timeout(LIMIT, heard).await.unwrap(), [Position::from(2)]);
        assert_eq!(store.late_arrivals(), 1);
        // Not again, and not the ones in time.
        drop(listening);
        let mut listening = store.wake_up().await.unwrap().unwrap();
        insert(&test, [4]).await;
        tokio::time::timeout(LIMIT, listening.woken()).await.unwrap().unwrap();
        until_marked(&store, 4).await;
        assert!(listening.late().is_empty());
        assert_eq!(store.late_arrivals(), 1);
    })
    .await;
}

#[tokio::test]
async fn while_a_position_is_empty_the_listener_wakes_by_time() {
    with_database(|test| async move {
        let store = Arc::new(open_with(&test, SHORT).await);
        insert(&test, [1, 3]).await;
        assert_eq!(mark(&store).await, 1);
        let mut listening = store.wake_up().await.unwrap().unwrap();
        let since = Instant::now();
        while mark(&store).await < 3 {
            assert!(since.elapsed() < LIMIT);
            tokio::time::timeout(LIMIT, listening.woken()).await.unwrap().unwrap();
        }
    })
    .await;
}

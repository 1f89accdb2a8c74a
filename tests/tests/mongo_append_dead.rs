//! Appenders that die: their reservation holds the mark for seconds, is named meanwhile, and what they had not committed
//! never comes.

use std::{
    collections::BTreeSet,
    env,
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use acceptance::{
    appending::OnMongo,
    conformance::append::{Appenders, Reader, event, everything},
    server::{TestDatabase, with_database},
};
use bson::{Document, doc, oid::ObjectId};
use mongodb::{Client, ClientSession, Collection};
use projection_core::{
    EventStore as _, Position,
    append::{AppendEvents as _, ExpectedVersion, StreamAppend},
};
use projection_mongo::{MongoEvents, MongoEventsOptions};
use tokio::task::JoinSet;

/// Says to a copy of this program which database to append to.
const DATABASE: &str = "PROJECTION_MONGO_TEST_DATABASE";
const URI: &str = "PROJECTION_MONGO_TEST_URI";
const LIMIT: Duration = Duration::from_secs(60);

async fn open(database: &TestDatabase) -> MongoEvents {
    MongoEvents::open(&database.database, "events", MongoEventsOptions::new().with_owner("reader")).await.unwrap()
}

async fn positions(database: &TestDatabase) -> Collection<Document> {
    database.plain().await.collection("events.positions")
}

/// A reservation such as a process leaves that dies right after it made it; its positions are taken.
async fn leave_behind(database: &TestDatabase, age: i64, lasts: i64) -> ObjectId {
    let id = ObjectId::new();
    let positions = positions(database).await;
    let last = positions.find_one(doc! { "_id": 0 }).await.unwrap().unwrap().get_i64("last").unwrap();
    let at = |ms: i64| doc! { "$add": ["$$NOW", ms] };
    let session = doc! { "id": bson::Uuid::new() };
    let reservation = doc! {
        "low": last, "owner": "dead", "session": session, "since": at(-age), "expires": at(lasts - age), "theirs": false,
    };
    positions.update_one(doc! { "_id": id }, vec![doc! { "$set": reservation }]).upsert(true).await.unwrap();
    positions.update_one(doc! { "_id": 0 }, doc! { "$inc": { "last": 3_i64 } }).await.unwrap();
    id
}

async fn until_marked(events: &MongoEvents, position: Position) -> Duration {
    let since = Instant::now();
    while events.mark().await.unwrap() < position {
        assert!(since.elapsed() < LIMIT, "{:?}", events.held_by().await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    since.elapsed()
}

// spec: H1, H5
#[tokio::test]
async fn a_dead_appender_holds_the_mark_for_seconds_and_is_named_meanwhile() {
    with_database(|database| async move {
        let events = open(&database).await;
        let before = events.append("a", ExpectedVersion::Any, [event("1")]).await.unwrap();
        assert_eq!(events.held_by().await.unwrap(), None);
        leave_behind(&database, 0, 10_000).await;
        let after = events.append("a", ExpectedVersion::Any, [event("2")]).await.unwrap();
        assert_eq!(events.mark().await.unwrap(), before.position());
        let holding = events.holding().await.unwrap();
        assert_eq!(holding.len(), 1);
        assert_eq!((holding[0].owner.as_str(), holding[0].low), ("dead", before.position()));
        let held = events.held_by().await.unwrap().unwrap();
        let words = format!("an append of dead that has positions above {} since ", before.position());
        assert!(held.starts_with(&words), "{held}");
        let took = until_marked(&events, after.position()).await;
        assert!(took > Duration::from_millis(1_000) && took < Duration::from_secs(8), "{took:?}");
        assert!(events.holding().await.unwrap().is_empty());
        assert_eq!(everything(&events).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn whoever_opens_the_store_waits_for_a_reservation_that_is_there() {
    with_database(|database| async move {
        let first = open(&database).await;
        first.append("a", ExpectedVersion::Any, [event("1")]).await.unwrap();
        let reservation = leave_behind(&database, 0, 10_000).await;
        let after = first.append("a", ExpectedVersion::Any, [event("2")]).await.unwrap();
        let second = open(&database).await;
        assert_eq!(second.mark().await.unwrap(), Position::from(1));
        positions(&database).await.delete_one(doc! { "_id": reservation }).await.unwrap();
        assert_eq!(second.mark().await.unwrap(), after.position());
        // A mark that was safe stays, whatever reservations come.
        leave_behind(&database, 0, 10_000).await;
        assert_eq!(second.mark().await.unwrap(), after.position());
    })
    .await;
}

// spec: H2
#[tokio::test]
async fn a_transaction_whose_reservation_was_given_up_cannot_commit() {
    with_database(|database| async move {
        let events = open(&database).await;
        let client = database.database.client();
        // It pauses between its reservation and its transaction, as a stopped process does.
        let reservation = leave_behind(&database, 2_500, 10_000).await;
        let after = events.append("a", ExpectedVersion::Any, [event("after")]).await.unwrap();
        until_marked(&events, after.position()).await;
        let mut late = client.start_session().await.unwrap();
        late.start_transaction().await.unwrap();
        let taken = database.database.collection::<Document>("events.positions");
        let taken = taken.delete_one(doc! { "_id": reservation }).session(&mut late).await.unwrap();
        assert_eq!(taken.deleted_count, 0, "it sees that, and makes a new reservation");
        late.abort_transaction().await.unwrap();
    })
    .await;
}

/// A transaction of a process that is killed after it wrote the first event of the stream `a`.
async fn leave_open(database: &TestDatabase, lasts: i64) -> ClientSession {
    let mut dead = database.database.client().start_session().await.unwrap();
    let id = leave_behind(database, 0, lasts).await;
    let session = doc! { "$set": { "session": dead.id().clone() } };
    positions(database).await.update_one(doc! { "_id": id }, session).await.unwrap();
    dead.start_transaction().await.unwrap();
    let collection = |name: &str| database.database.collection::<Document>(name);
    collection("events.positions").delete_one(doc! { "_id": id }).session(&mut dead).await.unwrap();
    let lost = doc! { "streamid": "a", "streamversion": 1_i64, "position": 1_i64, "id": "lost", "type": "X" };
    collection("events").insert_one(lost).session(&mut dead).await.unwrap();
    dead
}

#[tokio::test]
async fn a_transaction_that_is_left_open_is_ended_when_its_time_is_over() {
    with_database(|database| async move {
        let events = open(&database).await;
        let mut dead = leave_open(&database, 4_000).await;
        // It is in the way of the same stream, but of no other.
        let other = events.append("b", ExpectedVersion::Any, [event("1")]).await.unwrap();
        let took = until_marked(&events, other.position()).await;
        assert!(took > Duration::from_secs(2) && took < Duration::from_secs(12), "{took:?}");
        dead.commit_transaction().await.unwrap_err();
        assert_eq!(everything(&events).await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn an_append_to_the_stream_of_a_dead_appender_waits_until_that_is_ended() {
    with_database(|database| async move {
        let events = open(&database).await;
        // Nobody reads.
        let mut dead = leave_open(&database, 4_000).await;
        let appended = events.append("a", ExpectedVersion::NoStream, [event("1")]).await.unwrap();
        dead.commit_transaction().await.unwrap_err();
        assert_eq!(events.mark().await.unwrap(), appended.position());
        assert_eq!(everything(&events).await.len(), 1);
    })
    .await;
}

#[tokio::test]
#[ignore = "the other process of the test below, which starts and kills it"]
async fn appends_until_it_is_killed() {
    let (Ok(uri), Ok(name)) = (env::var(URI), env::var(DATABASE)) else { return };
    let database = Client::with_uri_str(uri).await.unwrap().database(&name);
    let options = MongoEventsOptions::new().with_owner("child").with_commit_within(Duration::from_secs(3));
    let events = MongoEvents::open(&database, "events", options).await.unwrap();
    let mut running = JoinSet::new();
    for me in 0..4 {
        let events = events.clone();
        running.spawn(async move {
            for n in 0.. {
                let ids = [0, 1].map(|part| format!("child-{}-{me}-{n}-{part}", std::process::id()));
                let parts = [("hot-0", &ids[0]), ("hot-1", &ids[1])];
                let parts = parts.map(|(stream, id)| StreamAppend::new(stream, ExpectedVersion::Any, [event(id)]));
                events.append_all(parts.into()).await.unwrap();
                writeln!(std::io::stderr(), "appended {} {}", ids[0], ids[1]).unwrap();
            }
        });
    }
    running.join_next().await;
}

/// Runs appenders in a process of their own and kills it: what it had been told is appended.
fn run_and_kill(uri: &str, database: &str, after: Duration) -> BTreeSet<String> {
    let mut child: Child = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "appends_until_it_is_killed"])
        .env(URI, uri)
        .env(DATABASE, database)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut seen: Vec<String> = lines.by_ref().take(8).collect();
    thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    seen.extend(lines);
    let ids = seen.iter().filter_map(|line| line.strip_prefix("appended ")).flat_map(str::split_whitespace);
    ids.map(str::to_owned).collect()
}

// spec: H1, H2
#[tokio::test(flavor = "multi_thread")]
async fn beside_appenders_that_conflict_abort_and_are_killed_a_reader_sees_each_event_once_and_in_order() {
    with_database(|database| async move {
        let name = database.database.name().to_owned();
        let mut running = JoinSet::new();
        let appenders = Appenders::default();
        for me in 0..8 {
            // Each is a store of its own, as in eight processes.
            let store = OnMongo::new(open(&database).await, &database);
            running.spawn(appenders.clone().run(store, me, 24));
        }
        let uri = database.uri().to_owned();
        let killed = tokio::task::spawn_blocking(move || {
            let mut acknowledged = BTreeSet::new();
            for round in 0..3 {
                acknowledged.append(&mut run_and_kill(&uri, &name, Duration::from_micros(1500 * round)));
            }
            acknowledged
        });
        let events = open(&database).await;
        let mut reader = Reader::default();
        while !running.is_empty() || !killed.is_finished() {
            while let Some(done) = running.try_join_next() {
                done.unwrap();
            }
            reader.read(&events).await;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let mut acknowledged = appenders.acknowledged();
        let mut killed = killed.await.unwrap();
        assert!(killed.len() >= 3 * 16, "{}", killed.len());
        acknowledged.append(&mut killed);
        let stored = database.plain().await.collection::<Document>("events");
        let marked = events.append("last", ExpectedVersion::Any, [event("last")]).await.unwrap();
        reader.until(&events, |seen| seen.last().is_some_and(|seen| seen.position >= marked.position())).await;

        // Each that is stored was seen, and once; each that was acknowledged is stored.
        let seen: BTreeSet<String> = reader.seen().iter().map(|seen| seen.id.clone()).collect();
        assert_eq!(seen.len(), reader.seen().len(), "an event was seen twice");
        assert_eq!(seen.len() as u64, stored.count_documents(doc! {}).await.unwrap());
        assert!(acknowledged.is_subset(&seen), "{:?}", acknowledged.difference(&seen).collect::<Vec<_>>());
        reader.check_order();
        assert!(events.holding().await.unwrap().is_empty());
    })
    .await;
}

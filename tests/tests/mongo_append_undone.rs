//! A failover undoes an append that was not on a majority: nobody has seen it, and done again it is there once.

use std::{
    ops::RangeInclusive,
    sync::Arc,
    time::{Duration, Instant},
};

use acceptance::{
    conformance::append::{Reader, everything},
    notes::{Noted, Notes, events},
    server::{OwnReplicaSet, OwnServer, TestDatabase},
};
use bson::{Document, doc};
use mongodb::options::ReadConcern;
use projection_core::{
    ErrorKind, ProjectionRuntime, StreamId,
    append::{AppendError, AppendEvents as _, Appended, ExpectedVersion, NewEvent},
    runtime::Health,
};
use projection_mongo::{MongoEvents, MongoViews};
use tokio::{runtime::Runtime, sync::Mutex};
use tokio_util::task::AbortOnDropHandle;

const LIMIT: Duration = Duration::from_secs(60);
/// How long an append is waited for that no majority confirms.
const DEADLINE: Duration = Duration::from_secs(3);
/// So many that they are not put together with other appends.
const MANY: RangeInclusive<i64> = 2..=1100;

/// A store of its own on the same database, as in another process.
async fn open(test: &TestDatabase) -> MongoEvents {
    events(&test.by(test.uri()).await.database).await
}

/// Appends these numbers, which also are the ids of the events, behind so many events.
async fn append(
    events: &MongoEvents,
    stream: &str,
    before: u64,
    numbers: RangeInclusive<i64>,
) -> Result<Appended, AppendError> {
    events.append(stream, ExpectedVersion::Exact(before), numbers.map(noted)).await
}

fn noted(n: i64) -> NewEvent {
    NewEvent::new(&Noted { n }).unwrap().with_id(n.to_string())
}

/// The same, until it is said to be there.
async fn append_again(events: &MongoEvents, stream: &str, before: u64, numbers: RangeInclusive<i64>) {
    let again = async {
        loop {
            match append(events, stream, before, numbers.clone()).await {
                // The try before it has come to its end meanwhile.
                Ok(_) | Err(AppendError::Duplicate(_) | AppendError::Conflict { .. }) => return,
                Err(AppendError::Store(error)) if error.kind() == ErrorKind::Transient => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(error) => panic!("{numbers:?} are not appended: {error}"),
            }
        }
    };
    tokio::time::timeout(LIMIT, again).await.expect("it is appended once a majority is there");
}

/// What runs as in a process of its own: it breaks off wherever it is when this is dropped.
struct Process(Option<Runtime>);

impl Process {
    async fn with_store(test: &TestDatabase) -> (Self, MongoEvents) {
        let (process, test) = (Self(Some(Runtime::new().unwrap())), test.clone());
        let events = process.run(async move { open(&test).await }).await;
        (process, events)
    }

    async fn run<T: Send + 'static>(&self, task: impl Future<Output = T> + Send + 'static) -> T {
        self.0.as_ref().unwrap().spawn(task).await.unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.0.take().unwrap().shutdown_background();
    }
}

/// From here on, what is written is on the primary only. It, and the others.
async fn left_alone(set: &OwnReplicaSet) -> (&OwnServer, Vec<&OwnServer>) {
    let primary = set.primary().await;
    let others = set.others(primary);
    for other in &others {
        other.stop_following().await;
    }
    (primary, others)
}

/// The primary is lost with what only it has, and another takes over.
async fn lost(set: &OwnReplicaSet, primary: &OwnServer, others: &[&OwnServer]) {
    primary.kill();
    for other in others {
        other.follow_again().await;
    }
    set.takes_over_from(primary).await;
}

/// Waits until a client's command of this name is on its way.
async fn until_runs(server: &OwnServer, command: &str) {
    let (admin, since) = (server.admin().await, Instant::now());
    let running = doc! { "currentOp": 1, "active": true, format!("command.{command}"): { "$exists": true } };
    while admin.run_command(running.clone()).await.unwrap().get_array("inprog").unwrap().is_empty() {
        assert!(since.elapsed() < LIMIT, "{command} does not run");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Reads all the time, also while the server is away.
struct Reading {
    reader: Arc<Mutex<Reader>>,
    _running: AbortOnDropHandle<()>,
}

impl Reading {
    fn begin(events: MongoEvents) -> Self {
        let reader = Arc::new(Mutex::new(Reader::default()));
        let running = tokio::spawn({
            let reader = Arc::clone(&reader);
            async move {
                loop {
                    if let Err(error) = reader.lock().await.try_read(&events).await {
                        assert_eq!(error.kind(), ErrorKind::Transient, "{error}");
                    }
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
            }
        });
        Self { reader, _running: AbortOnDropHandle::new(running) }
    }

    async fn ids(&self) -> Vec<String> {
        self.reader.lock().await.seen().iter().map(|seen| seen.id.clone()).collect()
    }

    async fn until_seen(&self, events: usize) {
        let since = Instant::now();
        while self.ids().await.len() < events {
            assert!(since.elapsed() < LIMIT, "only {:?} are seen", self.ids().await);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// The ids of the events that one member has, on a majority or not.
async fn ids_on(member: &OwnServer, test: &TestDatabase) -> mongodb::error::Result<Vec<String>> {
    let direct = test.by(&member.uri()).await.database;
    let local = mongodb::options::CollectionOptions::builder().read_concern(ReadConcern::local()).build();
    let events = direct.collection_with_options::<Document>("events", local);
    let mut found = events.find(doc! {}).sort(doc! { "position": 1 }).await?;
    let mut ids = Vec::new();
    while found.advance().await? {
        ids.push(found.current().get_str("id").unwrap().to_owned());
    }
    Ok(ids)
}

/// Waits until a member has these; while it rolls back it has nothing to say.
async fn until_on(member: &OwnServer, test: &TestDatabase, expected: &[&str]) {
    let since = Instant::now();
    loop {
        let found = ids_on(member, test).await;
        if found.as_ref().is_ok_and(|ids| ids == expected) {
            return;
        }
        assert!(since.elapsed() < LIMIT, "it has {found:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn entries(runtime: &ProjectionRuntime, stream: &str) -> Option<Vec<i64>> {
    let view = runtime.view::<Notes>().unwrap();
    view.find(&StreamId::from(stream)).await.unwrap().map(|notes| notes.entries)
}

// spec: H1, H2, H9, B11, B33
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_that_a_failover_undoes_was_seen_by_nobody_and_is_there_once_when_it_is_done_again() {
    let set = OwnReplicaSet::of(3).await;
    let test = set.database().await;
    let ours = open(&test).await;
    let (dying, theirs) = Process::with_store(&test).await;
    let runtime = ProjectionRuntime::builder(open(&test).await, MongoViews::new(test.database.clone()))
        .register::<Notes>()
        .start()
        .await
        .unwrap();
    let reading = Reading::begin(open(&test).await);
    let first = append(&ours, "a", 0, 1..=1).await.unwrap();
    runtime.applied::<Notes>(first.token(), LIMIT).await.unwrap();
    reading.until_seen(1).await;

    // Two events that are appended again, and one that is not, since its process dies.
    let (primary, others) = left_alone(&set).await;
    let (appended, broken_off) = tokio::join!(
        tokio::time::timeout(DEADLINE, append(&ours, "a", 1, 2..=3)),
        dying.run(async move { tokio::time::timeout(DEADLINE, append(&theirs, "b", 0, 4..=4)).await.is_err() }),
    );
    assert!(appended.is_err(), "no majority has it: {appended:?}");
    assert!(broken_off, "no majority has it");
    drop(dying);
    let mut written = ids_on(primary, &test).await.unwrap();
    written.sort();
    assert_eq!(written, ["1", "2", "3", "4"]);
    // Reading goes on, by the store that appends, too.
    assert_eq!(everything(&ours).await.len(), 1);
    assert_eq!(reading.ids().await, ["1"]);
    for other in &others {
        assert_eq!(ids_on(other, &test).await.unwrap(), ["1"]);
    }
    lost(&set, primary, &others).await;

    append_again(&ours, "a", 1, 2..=3).await;
    // The try that was not waited for may hold the mark a moment longer.
    reading.until_seen(3).await;
    let again = everything(&ours).await.last().unwrap().position();
    assert!(primary.start_again().await, "the port of the one that was killed is taken");
    set.settled().await;
    let later = append(&ours, "c", 0, 5..=5).await.unwrap();
    let last = append(&ours, "c", 1, 6..=6).await.unwrap();
    let positions = [first.position(), again, later.position(), last.position()];
    assert!(positions.is_sorted_by(|before, after| before < after), "{positions:?}");

    // Everybody has the same, and what the one that was killed had besides is in its files only.
    let expected = ["1", "2", "3", "5", "6"];
    until_on(primary, &test, &expected).await;
    assert!(primary.folder().join("db/rollback").is_dir(), "it had nothing to roll back");
    runtime.applied::<Notes>(last.token(), LIMIT).await.unwrap();
    reading.until_seen(expected.len()).await;
    assert_eq!(reading.ids().await, expected);
    reading.reader.lock().await.check_order();
    assert_eq!(everything(&ours).await.len(), expected.len());
    assert!(ours.holding().await.unwrap().is_empty());
    assert_eq!(entries(&runtime, "a").await.unwrap(), [1, 2, 3]);
    assert_eq!(entries(&runtime, "b").await, None);
    assert_eq!(entries(&runtime, "c").await.unwrap(), [5, 6]);
    assert_eq!(runtime.list()[0].health, Health::Ready);
    runtime.shutdown().await;
}

// spec: P24, B33
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_that_is_called_a_duplicate_is_there_after_a_failover_too() {
    let set = OwnReplicaSet::of(3).await;
    let test = set.database().await;
    let ours = open(&test).await;
    let (dying, theirs) = Process::with_store(&test).await;
    append(&ours, "a", 0, 1..=1).await.unwrap();
    let (primary, others) = left_alone(&set).await;
    let broken_off =
        dying.run(async move { tokio::time::timeout(DEADLINE, append(&theirs, "a", 1, MANY)).await.is_err() });
    assert!(broken_off.await, "no majority has them");
    drop(dying);
    // What became of them is not known: they are appended again, to find that out.
    let again = tokio::spawn({
        let ours = ours.clone();
        async move { ours.append("a", ExpectedVersion::Any, MANY.map(noted)).await }
    });
    until_runs(primary, "abortTransaction").await;
    lost(&set, primary, &others).await;
    let told = tokio::time::timeout(LIMIT, again).await.unwrap().unwrap();
    if matches!(told, Ok(_) | Err(AppendError::Duplicate(_))) {
        append_again(&ours, "last", 0, 0..=0).await;
        let all = everything(&ours).await;
        assert!(all.iter().any(|event| event.id() == "2"), "{} events are there, after {told:?}", all.len());
    }
}

//! Several handles and processes on one file: one writes at a time.

use std::time::{Duration, Instant};

use projection_core::append::{AppendError, AppendEvents as _, ExpectedVersion};
use projection_core::{
    ErrorKind, EventStore as _, ViewStore as _,
    store::{ChangeOutcome, Expected, SourceName},
};
use projection_sqlite::{SqliteOptions, SqliteStore};
use serde::{Deserialize, Deserializer, Serialize};

use crate::support::{Count, File, at, change, checkpoint, commit, event, names, open};

async fn impatient(file: &File) -> SqliteStore {
    let options = SqliteOptions::new().with_busy_timeout(Duration::from_millis(50));
    SqliteStore::open_with(file.path(), options).await.unwrap()
}

#[tokio::test]
async fn what_one_handle_writes_another_reads() {
    let file = File::new();
    let (one, two) = (file.open().await, file.open().await);
    let (left, right) = (open::<Count>(&one).await, open::<Count>(&two).await);
    commit(&left, &[change(&1, Some(&10), 1, Expected::Absent)], None, None).await;
    assert_eq!(right.find_by_id(&1).await.unwrap(), Some(10));
    let outcomes = [at(1), at(1)].map(|expected| [change(&1, Some(&20), 2, expected)]);
    assert_eq!(names(&commit(&right, &outcomes[0], None, None).await).0, ["written"]);
    assert_eq!(names(&commit(&left, &outcomes[1], None, None).await).0, ["lost"]);
    assert_eq!(left.find_by_id(&1).await.unwrap(), Some(20));
}

#[tokio::test(flavor = "multi_thread")]
async fn appends_of_several_handles_have_dense_positions_and_conflicts_lose_nothing() {
    let file = File::new();
    file.open().await;
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..4 {
        let path = file.path();
        writers.spawn(async move {
            let events = SqliteStore::open(path).await.unwrap().events();
            let mut version = 0;
            for n in 0..25 {
                loop {
                    let new = [event(&format!("{writer}-{n}"))];
                    match events.append("a", ExpectedVersion::Exact(version), new).await {
                        Ok(appended) => break version = appended.stream_version(),
                        Err(AppendError::Conflict { actual, .. }) => version = actual,
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        });
    }
    writers.join_all().await;
    assert_eq!(file.open().await.events().mark().await.unwrap().as_i64(), 100);
    let dense = "SELECT count(*) = 100 AND min(position = stream_version) FROM events";
    assert!(file.plain().query_row(dense, [], |row| row.get::<_, bool>(0)).unwrap());
}

#[tokio::test]
async fn a_write_while_another_process_writes_for_too_long_is_transient_and_nothing_is_stored() {
    let file = File::new();
    let store = impatient(&file).await;
    let count = open::<Count>(&store).await;
    let other = file.plain();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    let mark = checkpoint("count", 1, None);
    let changes = [change(&1, Some(&10), 1, Expected::Absent)];
    let committed = commit(&count, &changes, None, Some(&mark)).await;
    assert_eq!(names(&committed), (vec!["unknown"], "unknown"));
    let ChangeOutcome::Unknown(error) = &committed.outcomes[0] else { unreachable!() };
    assert_eq!(error.kind(), ErrorKind::Transient);
    assert!(
        error.to_string().starts_with("writing to `count.v1`: database is locked: another connection"),
        "{error}"
    );
    let error = store.events().append("a", ExpectedVersion::Any, [event("1")]).await.unwrap_err();
    assert!(matches!(error, AppendError::Store(error) if error.kind() == ErrorKind::Transient));
    // Whoever reads is not held up.
    assert_eq!(count.find_by_id(&1).await.unwrap(), None);

    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(names(&commit(&count, &changes, None, Some(&mark)).await), (vec!["written"], "stored"));
}

#[tokio::test]
async fn the_async_runtime_is_not_held_up_by_a_writer_that_waits() {
    let file = File::new();
    let store = file.open().await;
    let other = file.plain();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let events = store.events();
    let append = events.append("a", ExpectedVersion::Any, [event("1")]);
    let ticks = async {
        let started = Instant::now();
        for _ in 0..10 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let elapsed = started.elapsed();
        other.execute_batch("ROLLBACK").unwrap();
        elapsed
    };
    let (appended, elapsed) = tokio::join!(append, ticks);
    appended.unwrap();
    assert!(elapsed < Duration::from_secs(3), "{elapsed:?}");
}

/// Panics when it is read.
#[derive(Serialize)]
struct Trap;

impl<'de> Deserialize<'de> for Trap {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("a trap")
    }
}

struct Traps;

impl projection_core::Projection for Traps {
    type State = Trap;
    type Id = i64;
    const NAME: &'static str = "traps";

    fn handlers<H: projection_core::Handlers<Self>>(_handlers: &mut H) {}
}

#[tokio::test]
async fn a_state_that_panics_when_it_is_read_leaves_the_store_usable() {
    for store in [SqliteStore::open_in_memory().await.unwrap(), File::new().open().await] {
        let traps = store.views().open::<Traps>(&SourceName::default()).await.unwrap();
        traps.save(&1, &Trap).await.unwrap();
        let panicked = tokio::spawn(async move { traps.find_by_id(&1).await.map(drop) }).await;
        assert!(panicked.unwrap_err().is_panic());
        let count = open::<Count>(&store).await;
        count.save(&1, &10).await.unwrap();
        assert_eq!(count.find_by_id(&1).await.unwrap(), Some(10));
    }
}

use std::time::Duration;

use projection_core::{
    ErrorKind, Event, Handlers, Phase, Position, Projection, ProjectionRuntime, StoreError, ViewStore as _,
    append::{AppendEvents as _, ExpectedVersion, NewEvent},
    store::{Change, ChangeOutcome, CheckpointOutcome, Commit, Committed, Expected, SharedRepository, SourceName},
};
use tempfile::TempDir;

use super::*;
use crate::error::Doing;

struct Text;

impl Projection for Text {
    type State = String;
    type Id = i64;
    const NAME: &'static str = "text";

    fn handlers<H: Handlers<Self>>(_handlers: &mut H) {}
}

const LARGE: usize = 50_000;
const LIMIT: Duration = Duration::from_secs(60);

/// A large instance for each event.
struct Large;

#[derive(serde::Deserialize)]
struct Counted(i64);

impl Event for Counted {
    const NAME: &'static str = "Counted";
}

impl Projection for Large {
    type State = String;
    type Id = i64;
    const NAME: &'static str = "large";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers.on::<Counted>(
            |counted, _, keys| keys.push(counted.0),
            |state, _, _, _| *state = Some("x".repeat(LARGE)),
        );
    }
}

async fn in_a_file() -> (TempDir, SqliteStore, SharedRepository<Text>) {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(directory.path().join("test.db")).await.unwrap();
    let view = store.views().open::<Text>(&SourceName::default()).await.unwrap();
    (directory, store, view)
}

/// Runs a statement on the connection that writes.
async fn set(store: &SqliteStore, pragma: &'static str) {
    let doing = Doing::new("setting", pragma);
    let set = move |transaction: &mut rusqlite::Transaction<'_>| {
        transaction.execute_batch(pragma).map_err(StoreError::permanent)
    };
    store.database.write(&doing, set).await.unwrap();
}

async fn commit(view: &SharedRepository<Text>, id: i64, state: &String) -> Committed {
    let position = Position::from(1);
    let change = Change { id: &id, state: Some(state), position, offered: &[], expected: Expected::Absent };
    view.guarded().unwrap().commit(Commit { changes: &[change], fence: None, checkpoint: None }).await
}

fn unknown(committed: &Committed) -> &StoreError {
    assert!(matches!(committed.checkpoint, CheckpointOutcome::NotJoined));
    match &committed.outcomes[..] {
        [ChangeOutcome::Unknown(error)] => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_full_disk_refuses_the_flush_and_leaves_what_was_stored() {
    let (_directory, store, view) = in_a_file().await;
    let large = "x".repeat(200_000);
    commit(&view, 1, &large).await;
    set(&store, "PRAGMA max_page_count = 70").await;
    let committed = commit(&view, 2, &large).await;
    let error = unknown(&committed);
    assert_eq!(error.kind(), ErrorKind::Transient);
    assert!(error.to_string().contains("the disk is full; nothing of this transaction is stored"), "{error}");
    assert_eq!(view.find_by_id(&1).await.unwrap().as_ref(), Some(&large));
    assert_eq!(view.find_by_id(&2).await.unwrap(), None);

    set(&store, "PRAGMA max_page_count = 10000").await;
    assert!(matches!(commit(&view, 2, &large).await.outcomes[..], [ChangeOutcome::Written { .. }]));
}

// spec: B33, B41
#[tokio::test]
async fn a_projection_waits_for_room_on_a_full_disk_and_goes_on() {
    let (_directory, store, _view) = in_a_file().await;
    let events: Vec<_> = (0..40).map(|n| NewEvent::from_json("Counted", n.to_string())).collect();
    store.events().append("s", ExpectedVersion::Any, events).await.unwrap();
    set(&store, "PRAGMA max_page_count = 200").await;
    let views = store.views();
    let runtime =
        ProjectionRuntime::builder(store.events(), views).register_with::<Large>(|options| options.batch_size(4));
    let runtime = runtime.start().await.unwrap();
    let mut progress = runtime.progress().remove(0);
    let waits = progress.wait_for(|progress| progress.phase == Phase::Retrying);
    assert!(waits.await.unwrap().position > Position::START, "some are stored before");
    let failure = runtime.list().remove(0).failure.unwrap();
    assert!(failure.may_pass(), "{failure}");

    set(&store, "PRAGMA max_page_count = 100000").await;
    tokio::time::timeout(LIMIT, runtime.caught_up()).await.expect("it goes on by itself").unwrap();
    let view = runtime.view::<Large>().unwrap();
    for id in 0..40 {
        assert_eq!(view.find(&id).await.unwrap().map(|state| state.len()), Some(LARGE), "{id}");
    }
    runtime.shutdown().await;
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_an_error_that_says_so() {
    let (_directory, store, view) = in_a_file().await;
    set(&store, "PRAGMA query_only = 1").await;
    let committed = commit(&view, 1, &"x".to_owned()).await;
    let error = unknown(&committed);
    assert_eq!(error.kind(), ErrorKind::Permanent);
    assert!(error.to_string().contains("cannot be written by this process"), "{error}");
    assert_eq!(view.find_by_id(&1).await.unwrap(), None);
}

#[tokio::test]
async fn a_commit_is_on_the_disk_when_it_returns() {
    let (_directory, store, _view) = in_a_file().await;
    let doing = Doing::new("reading", "settings");
    let settings = store.database.write(&doing, |transaction| {
        let ask = |pragma: &str| transaction.pragma_query_value(None, pragma, |row| row.get::<_, String>(0));
        let full = transaction.pragma_query_value(None, "synchronous", |row| row.get::<_, i64>(0));
        Ok::<_, StoreError>((ask("journal_mode").unwrap(), full.unwrap()))
    });
    assert_eq!(settings.await.unwrap(), ("wal".to_owned(), 2));
}

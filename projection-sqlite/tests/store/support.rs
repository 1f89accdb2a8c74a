//! A file for one test, and projections that suites write to by hand.

use std::{path::PathBuf, sync::Arc};

use projection_core::append::NewEvent;
use projection_core::{
    Handlers, Index, Key, Position, Projection, ViewState, ViewStateRepository, ViewStore as _,
    store::{
        Change, ChangeOutcome, Checkpoint, CheckpointKey, CheckpointOutcome, Commit, Committed, Expected, Fence,
        Partition, SharedRepository, SourceName,
    },
};
use projection_sqlite::SqliteStore;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

/// A file that is removed after the test.
pub(crate) struct File {
    directory: TempDir,
}

impl File {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("test.db")
    }

    pub(crate) async fn open(&self) -> SqliteStore {
        SqliteStore::open(self.path()).await.unwrap()
    }

    /// The file as any other program sees it.
    pub(crate) fn plain(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.path()).unwrap()
    }
}

/// A view with a unique index, and one that serves queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Account {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) email: Option<String>,
    pub(crate) city: String,
}

impl Projection for Account {
    type State = Self;
    type Id = String;
    const NAME: &'static str = "account";

    fn indexes() -> Vec<Index> {
        vec![Index::new(["email"]).unique(), Index::new(["city"])]
    }

    fn handlers<H: Handlers<Self>>(_handlers: &mut H) {}
}

pub(crate) fn account(email: &str) -> Account {
    Account { email: Some(email.to_owned()), city: "x".to_owned() }
}

/// A view of numbers.
pub(crate) struct Count;

impl Projection for Count {
    type State = i64;
    type Id = i64;
    const NAME: &'static str = "count";

    fn handlers<H: Handlers<Self>>(_handlers: &mut H) {}
}

pub(crate) type Repository<P> = SharedRepository<P>;

pub(crate) async fn open<P: Projection>(store: &SqliteStore) -> Repository<P> {
    store.views().open::<P>(&SourceName::default()).await.unwrap()
}

pub(crate) fn at(position: u32) -> Expected {
    Expected::At(Position::from(position))
}

pub(crate) fn change<'a, S, Id>(
    id: &'a Id,
    state: Option<&'a S>,
    position: u32,
    expected: Expected,
) -> Change<'a, S, Id> {
    Change { id, state, position: Position::from(position), offered: &[], expected }
}

pub(crate) fn checkpoint(projection: &str, position: u32, fence: Option<&Fence>) -> Checkpoint {
    Checkpoint {
        key: CheckpointKey { projection: projection.to_owned(), version: 1, partition: Partition(0) },
        position: Position::from(position),
        start: Position::START,
        caught_up: false,
        handled: Vec::new(),
        fence: fence.cloned(),
    }
}

pub(crate) async fn commit<S: ViewState, Id: Key>(
    repository: &Arc<dyn ViewStateRepository<S, Id>>,
    changes: &[Change<'_, S, Id>],
    fence: Option<&Fence>,
    checkpoint: Option<&Checkpoint>,
) -> Committed {
    repository.guarded().unwrap().commit(Commit { changes, fence, checkpoint }).await
}

/// The outcomes by name, to be compared.
pub(crate) fn names(committed: &Committed) -> (Vec<&'static str>, &'static str) {
    let outcome = |outcome: &ChangeOutcome| match outcome {
        ChangeOutcome::Written { .. } => "written",
        ChangeOutcome::Lost => "lost",
        ChangeOutcome::Unknown(_) => "unknown",
        ChangeOutcome::Rejected(_) => "rejected",
    };
    let checkpoint = match committed.checkpoint {
        CheckpointOutcome::Stored => "stored",
        CheckpointOutcome::NotJoined => "not joined",
        CheckpointOutcome::Fenced => "fenced",
        CheckpointOutcome::Unknown(_) => "unknown",
    };
    (committed.outcomes.iter().map(outcome).collect(), checkpoint)
}

pub(crate) fn event(id: &str) -> NewEvent {
    NewEvent::from_json("X", "{}").with_id(id)
}

//! Projections and helpers that the suites share.

use std::marker::PhantomData;

use projection_core::{
    Handlers, Index, Key, Position, Projection, ViewState, ViewStateRepository,
    store::{Change, ChangeOutcome, Commit, Expected, Stored},
};
use serde::{Deserialize, Serialize};

/// A view of any state and id that handles nothing: suites write to it by hand.
#[derive(Debug)]
pub struct View<S, Id>(PhantomData<fn(S, Id)>);

impl<S: ViewState, Id: Key> Projection for View<S, Id> {
    type State = S;
    type Id = Id;
    const NAME: &'static str = "view";

    fn handlers<H: Handlers<Self>>(_handlers: &mut H) {}
}

/// A state that is a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// A number.
    pub n: i64,
    /// Something that does not commute.
    pub log: Vec<String>,
}

impl Tally {
    /// A tally of `n`.
    #[must_use]
    pub fn of(n: i64) -> Self {
        Self { n, log: vec![n.to_string()] }
    }
}

/// A state with a unique index, and one that only serves queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// Unique.
    pub email: String,
    /// Not unique.
    pub city: String,
}

impl Projection for Account {
    type State = Self;
    type Id = String;
    const NAME: &'static str = "account";

    fn indexes() -> Vec<Index> {
        vec![Index::new(["email"]).unique(), Index::new(["city", "-email"])]
    }

    fn handlers<H: Handlers<Self>>(_handlers: &mut H) {}
}

/// A change of one instance at a position.
pub fn change<'a, S, Id>(id: &'a Id, state: Option<&'a S>, position: u32, expected: Expected) -> Change<'a, S, Id> {
    Change { id, state, position: Position::from(position), offered: &[], expected }
}

/// Commits changes.
pub async fn write<S: ViewState, Id: Key>(
    repository: &dyn ViewStateRepository<S, Id>,
    changes: &[Change<'_, S, Id>],
) -> Vec<ChangeOutcome> {
    let guarded = repository.guarded().expect("a guarded repository");
    guarded.commit(Commit { changes, fence: None, checkpoint: None }).await.outcomes
}

/// Commits one change, which must be written.
pub async fn put<S: ViewState, Id: Key>(
    repository: &dyn ViewStateRepository<S, Id>,
    id: &Id,
    state: Option<&S>,
    position: u32,
    expected: Expected,
) {
    let outcomes = write(repository, &[change(id, state, position, expected)]).await;
    assert!(matches!(outcomes[..], [ChangeOutcome::Written { .. }]), "{outcomes:?}");
}

/// Loads instances, in the order asked.
pub async fn load<S: ViewState, Id: Key>(
    repository: &dyn ViewStateRepository<S, Id>,
    ids: &[Id],
) -> Vec<Option<Stored<S>>> {
    let mut found: Vec<_> = std::iter::repeat_with(|| None).take(ids.len()).collect();
    for (place, stored) in repository.guarded().expect("a guarded repository").load(ids).await.unwrap() {
        assert!(found[place].replace(stored).is_none(), "place {place} is there twice");
    }
    found
}

/// Loads one instance.
pub async fn load_one<S: ViewState, Id: Key>(
    repository: &dyn ViewStateRepository<S, Id>,
    id: &Id,
) -> Option<Stored<S>> {
    load(repository, std::slice::from_ref(id)).await.remove(0)
}

/// The outcomes by name, to be compared.
#[must_use]
pub fn outcome_names(outcomes: &[ChangeOutcome]) -> Vec<&'static str> {
    let name = |outcome: &ChangeOutcome| match outcome {
        ChangeOutcome::Written { .. } => "written",
        ChangeOutcome::Lost => "lost",
        ChangeOutcome::Unknown(_) => "unknown",
        ChangeOutcome::Rejected(_) => "rejected",
    };
    outcomes.iter().map(name).collect()
}

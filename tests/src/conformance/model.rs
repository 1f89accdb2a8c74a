//! Random batches: any two implementations give the same outcomes and the same states.

use std::collections::BTreeMap;

use projection_core::{
    Position, ViewStore,
    store::{Change, Checkpoint, CheckpointOutcome, Commit, Expected, Fence, SharedRepository, SourceName},
};
use proptest::prelude::*;

use super::{Tally, View, change, load, outcome_names};

/// One step against a repository.
#[derive(Debug, Clone)]
pub enum Step {
    /// A batch: for each instance whether it has a state afterwards, and what the change expects. An owner may store
    /// a checkpoint with it.
    Commit(BTreeMap<u8, (bool, Expects)>, bool),
    /// A checkpoint has passed everything up to this many steps ago.
    Passed(u32),
    /// The view is opened again, by another owner where there are owners.
    Reopen,
}

/// What a change expects, relative to what is stored.
#[derive(Debug, Clone, Copy)]
pub enum Expects {
    /// What is stored.
    Right,
    /// Nothing.
    Absent,
    /// A position some steps ago.
    Ago(u32),
}

/// Some steps over a few instances.
pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    let expects = prop_oneof![
        6 => Just(Expects::Right),
        1 => Just(Expects::Absent),
        1 => (0..4_u32).prop_map(Expects::Ago),
    ];
    let batch = prop::collection::btree_map(0..6_u8, (prop::bool::weighted(0.6), expects), 0..5);
    let step = prop_oneof![
        8 => (batch, any::<bool>()).prop_map(|(batch, checkpoint)| Step::Commit(batch, checkpoint)),
        2 => (0..4_u32).prop_map(Step::Passed),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..12)
}

type Repository = SharedRepository<View<Tally, i64>>;

async fn open(views: &impl ViewStore) -> Repository {
    views.open::<View<Tally, i64>>(&SourceName::default()).await.unwrap()
}

/// Commits, on behalf of an owner where there is one. Outcomes and that of the checkpoint, by name; a checkpoint that was
/// stored has passed.
/// Commits, and stores the checkpoint where the store did not do that with the batch, as the engine would.
async fn commit(
    store: &impl ViewStore,
    repository: &Repository,
    changes: &[Change<'_, Tally, i64>],
    fence: Option<&Fence>,
    checkpoint: Option<&Checkpoint>,
) -> (Vec<&'static str>, &'static str) {
    let guarded = repository.guarded().unwrap();
    let committed = guarded.commit(Commit { changes, fence, checkpoint }).await;
    let outcomes = outcome_names(&committed.outcomes);
    let outcome = match committed.checkpoint {
        CheckpointOutcome::Stored => "stored",
        CheckpointOutcome::NotJoined if fence.is_some() && outcomes.iter().all(|name| *name == "written") => {
            let fenced = checkpoint.map(|at| Checkpoint { fence: fence.cloned(), ..at.clone() });
            store.checkpoints().save(fenced.as_slice()).await.unwrap();
            if fenced.is_some() { "stored" } else { "not joined" }
        }
        CheckpointOutcome::NotJoined => "not joined",
        CheckpointOutcome::Fenced => "fenced",
        CheckpointOutcome::Unknown(_) => "unknown",
    };
    if let ("stored", Some(checkpoint)) = (outcome, checkpoint) {
        guarded.checkpoint_passed(checkpoint.position).await.unwrap();
    }
    (outcomes, outcome)
}

/// Takes the steps on both stores, and compares after each.
pub async fn behave_the_same(left: &impl ViewStore, right: &impl ViewStore, steps: &[Step]) {
    walk(left, right, steps, false).await;
}

/// The same with owners: one after another, each taking over from the one before.
pub async fn behave_the_same_for_owners(left: &impl ViewStore, right: &impl ViewStore, steps: &[Step]) {
    walk(left, right, steps, true).await;
}

/// Another owner on both stores.
async fn next_owner(left: &impl ViewStore, right: &impl ViewStore, last: Option<&Fence>) -> Fence {
    let mut fences = Vec::new();
    for leases in [left.leases().unwrap(), right.leases().unwrap()] {
        if let Some(last) = last {
            leases.release("view", last).await.unwrap();
        }
        let owner = last.map_or(0, |last| last.epoch).to_string();
        fences.push(super::leases::wait_for(&*leases, &owner).await);
    }
    assert_eq!(fences[0].owner, fences[1].owner);
    fences.remove(1)
}

async fn walk(left: &impl ViewStore, right: &impl ViewStore, steps: &[Step], owned: bool) {
    let (mut on_left, mut on_right) = (open(left).await, open(right).await);
    let mut fence = if owned { Some(next_owner(left, right, None).await) } else { None };
    let ids: Vec<i64> = (0..6).collect();
    for (step, now) in steps.iter().zip(1_u32..) {
        match step {
            Step::Commit(batch, checkpoint) => {
                let stored = load(&*on_left, &ids).await;
                let state = Tally::of(now.into());
                let changes: Vec<Change<'_, Tally, i64>> = batch
                    .iter()
                    .map(|(id, (stays, expects))| {
                        let place = usize::from(*id);
                        let expected = match expects {
                            Expects::Absent => Expected::Absent,
                            Expects::Ago(steps) => Expected::At(Position::from(now.saturating_sub(*steps))),
                            Expects::Right => stored[place]
                                .as_ref()
                                .map_or(Expected::Absent, |stored| Expected::At(stored.position)),
                        };
                        change(&ids[place], stays.then_some(&state), now, expected)
                    })
                    .collect();
                let at_now = super::checkpoints::checkpoint("view", 1, 0, now);
                let checkpoint = (owned && *checkpoint).then_some(&at_now);
                let fence = fence.as_ref();
                let (on_left, on_right) = (
                    commit(left, &on_left, &changes, fence, checkpoint).await,
                    commit(right, &on_right, &changes, fence, checkpoint).await,
                );
                assert_eq!(on_left, on_right, "{changes:?}");
            }
            Step::Passed(ago) => {
                let passed = Position::from(now.saturating_sub(*ago));
                on_left.guarded().unwrap().checkpoint_passed(passed).await.unwrap();
                on_right.guarded().unwrap().checkpoint_passed(passed).await.unwrap();
            }
            Step::Reopen => {
                if let Some(former) = &fence {
                    let new = next_owner(left, right, Some(former)).await;
                    let state = Tally::of(-1);
                    let changes = [change(&ids[0], Some(&state), now, Expected::Absent)];
                    for late in [
                        commit(left, &on_left, &changes, Some(former), None).await,
                        commit(right, &on_right, &changes, Some(former), None).await,
                    ] {
                        assert_eq!(late, (vec!["lost"], "fenced"));
                    }
                    fence = Some(new);
                }
                (on_left, on_right) = (open(left).await, open(right).await);
            }
        }
        let strip = |stored: Vec<Option<projection_core::store::Stored<Tally>>>| {
            stored
                .into_iter()
                .map(|stored| stored.map(|stored| (stored.state, stored.position)))
                .collect::<Vec<_>>()
        };
        assert_eq!(strip(load(&*on_left, &ids).await), strip(load(&*on_right, &ids).await), "after {step:?}");
        let sorted = |mut found: Vec<(usize, Tally)>| {
            found.sort_by_key(|(place, _)| *place);
            found
        };
        let (found_left, found_right) = (on_left.find_all_by_id(&ids).await, on_right.find_all_by_id(&ids).await);
        assert_eq!(sorted(found_left.unwrap()), sorted(found_right.unwrap()), "after {step:?}");
    }
}

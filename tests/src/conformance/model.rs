//! Random batches: any two implementations give the same outcomes and the same states.

use std::collections::BTreeMap;

use projection_core::{
    Position, ViewStore,
    store::{Change, Expected, SharedRepository, SourceName},
};
use proptest::prelude::*;

use super::{Tally, View, change, load, outcome_names, write};

/// One step against a repository.
#[derive(Debug, Clone)]
pub enum Step {
    /// A batch: for each instance whether it has a state afterwards, and what the change expects.
    Commit(BTreeMap<u8, (bool, Expects)>),
    /// A checkpoint has passed everything up to this many steps ago.
    Passed(u32),
    /// The view is opened again.
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
        8 => batch.prop_map(Step::Commit),
        2 => (0..4_u32).prop_map(Step::Passed),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..12)
}

type Repository = SharedRepository<View<Tally, i64>>;

async fn open(views: &impl ViewStore) -> Repository {
    views.open::<View<Tally, i64>>(&SourceName::default()).await.unwrap()
}

/// Takes the steps on both stores, and compares after each.
pub async fn behave_the_same(left: &impl ViewStore, right: &impl ViewStore, steps: &[Step]) {
    let (mut on_left, mut on_right) = (open(left).await, open(right).await);
    let ids: Vec<i64> = (0..6).collect();
    for (step, now) in steps.iter().zip(1_u32..) {
        match step {
            Step::Commit(batch) => {
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
                let (on_left, on_right) = (write(&*on_left, &changes).await, write(&*on_right, &changes).await);
                assert_eq!(outcome_names(&on_left), outcome_names(&on_right), "{changes:?}");
            }
            Step::Passed(ago) => {
                let passed = Position::from(now.saturating_sub(*ago));
                on_left.guarded().unwrap().checkpoint_passed(passed).await.unwrap();
                on_right.guarded().unwrap().checkpoint_passed(passed).await.unwrap();
            }
            Step::Reopen => (on_left, on_right) = (open(left).await, open(right).await),
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

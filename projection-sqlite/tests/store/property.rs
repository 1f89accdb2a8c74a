//! Random batches on a view with a unique index: SQLite and the store in memory give the same answers.

use std::collections::BTreeMap;

use projection_core::{
    Position, ViewStore,
    memory::InMemoryViews,
    store::{Change, Expected, SourceName},
};
use projection_sqlite::SqliteStore;
use proptest::prelude::*;

use crate::support::{Account, Repository, checkpoint, commit, names};

/// What happens to one instance in a batch.
#[derive(Debug, Clone)]
struct Step {
    /// The instance is deleted, or has this e-mail address, or none.
    state: Option<Option<u8>>,
    /// How far the expected position is from the stored one; `None` expects nothing to be stored.
    expects: Option<u32>,
}

#[derive(Debug, Clone)]
enum Batch {
    Commit(BTreeMap<u8, Step>),
    Passed(u32),
    Save(u8, Option<u8>),
    Delete(u8),
}

fn batches() -> impl Strategy<Value = Vec<Batch>> {
    let state = prop::option::weighted(0.8, prop::option::weighted(0.8, 0..5_u8));
    let expects = prop_oneof![8 => Just(Some(0)), 1 => Just(Some(1)), 2 => Just(None)];
    let step = (state, expects).prop_map(|(state, expects)| Step { state, expects });
    let batch = prop_oneof![
        10 => prop::collection::btree_map(0..6_u8, step, 1..6).prop_map(Batch::Commit),
        2 => (0..3_u32).prop_map(Batch::Passed),
        1 => (6..8_u8, prop::option::of(0..5_u8)).prop_map(|(id, email)| Batch::Save(id, email)),
        1 => (0..8_u8).prop_map(Batch::Delete),
    ];
    prop::collection::vec(batch, 1..15)
}

fn account(email: Option<u8>) -> Account {
    Account { email: email.map(|email| email.to_string()), city: "x".to_owned() }
}

/// Takes one step on a repository; what became of it, as text.
async fn take(repository: &Repository<Account>, batch: &Batch, now: u32) -> String {
    let name = |id: &u8| id.to_string();
    match batch {
        Batch::Commit(steps) => {
            let ids: Vec<String> = steps.keys().map(name).collect();
            let stored: BTreeMap<usize, Position> = match repository.guarded().unwrap().load(&ids).await {
                Ok(found) => found.into_iter().map(|(place, stored)| (place, stored.position)).collect(),
                Err(error) => return error.to_string(),
            };
            let states: Vec<Option<Account>> = steps.values().map(|step| step.state.map(account)).collect();
            let changes: Vec<_> = steps
                .values()
                .enumerate()
                .map(|(place, step)| {
                    let expected = match (stored.get(&place), step.expects) {
                        (Some(position), Some(off)) => {
                            Expected::At(Position::try_from(position.as_i64() + i64::from(off)).unwrap())
                        }
                        (None, Some(1)) => Expected::At(Position::from(now)),
                        (None, _) | (Some(_), None) => Expected::Absent,
                    };
                    let position = Position::from(now);
                    Change { id: &ids[place], state: states[place].as_ref(), position, offered: &[], expected }
                })
                .collect();
            let mark = checkpoint("account", now, None);
            format!("{:?}", names(&commit(repository, &changes, None, Some(&mark)).await))
        }
        Batch::Passed(ago) => {
            let passed = Position::from(now.saturating_sub(*ago));
            format!("{:?}", repository.guarded().unwrap().checkpoint_passed(passed).await.is_ok())
        }
        Batch::Save(id, email) => {
            let saved = repository.save(&name(id), &account(*email)).await;
            format!("{:?}", saved.map_err(|error| error.kind()))
        }
        Batch::Delete(id) => format!("{:?}", repository.delete(&name(id)).await.is_ok()),
    }
}

async fn compare(batches: &[Batch]) {
    let in_memory = InMemoryViews::new();
    let on_sqlite = SqliteStore::open_in_memory().await.unwrap().views();
    let left = in_memory.open::<Account>(&SourceName::default()).await.unwrap();
    let right = on_sqlite.open::<Account>(&SourceName::default()).await.unwrap();
    for (batch, now) in batches.iter().zip(1..) {
        assert_eq!(take(&left, batch, now).await, take(&right, batch, now).await, "{batch:?}");
        for id in 0..8 {
            let ids = [id.to_string()];
            let stored = async |repository: &Repository<Account>| {
                let stored = repository.guarded().unwrap().load(&ids).await;
                let stored = stored.map(|mut stored| stored.pop()).map_err(|error| error.to_string());
                stored
                    .map(|found| found.map(|(place, stored)| (place, stored.state, stored.position, stored.bytes)))
            };
            assert_eq!(stored(&left).await, stored(&right).await, "{id} after {batch:?}");
            let (found, same) = (left.find_by_id(&ids[0]).await, right.find_by_id(&ids[0]).await);
            assert_eq!(found.unwrap(), same.unwrap());
        }
        let (found, same) = (in_memory.checkpoints(), on_sqlite.checkpoints());
        assert_eq!(found.load("account").await.unwrap(), same.load("account").await.unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_unique_view_answers_as_the_one_in_memory_does(batches in batches()) {
        tokio::runtime::Runtime::new().unwrap().block_on(compare(&batches));
    }
}

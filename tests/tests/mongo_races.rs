//! Several writers at once, and batches that stopped in the middle.

use std::collections::HashSet;

use acceptance::{
    conformance::{Tally, View, change, load_one, outcome_names, put, write},
    on_each_kind_of_server,
    server::{Kind, with_database_on},
};
use bson::{Document, doc};
use projection_core::{
    Key, KeyRef, Position, ViewStore,
    store::{ChangeOutcome, Expected, SharedRepository, SourceName},
};
use projection_mongo::{MongoViews, MongoViewsOptions};
use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use uuid::Uuid;

on_each_kind_of_server!(
    an_instance_that_vanished_is_lost_and_named_among_many,
    a_delete_that_stopped_after_its_tombstone_is_a_delete,
    tombstones_of_another_version_in_a_plain_collection_are_left_alone,
    a_delete_again_after_one_that_stopped_takes_the_document_away,
    a_delete_that_stopped_before_its_tombstone_changes_nothing,
    two_keys_are_one_id_exactly_when_they_are_equal,
);

async fn open(views: &MongoViews) -> SharedRepository<View<Tally, String>> {
    views.open::<View<Tally, String>>(&SourceName::default()).await.unwrap()
}

fn at(position: u32) -> Expected {
    Expected::At(Position::from(position))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn increments_by_racing_writers_are_all_there_once() {
    increments(Kind::ReplicaSet).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn increments_by_racing_writers_are_all_there_once_without_a_replica_set() {
    increments(Kind::Standalone).await;
}

async fn increments(server: Kind) {
    const WRITERS: usize = 8;
    const ROUNDS: i64 = 15;
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let increment = async |repository: &SharedRepository<View<Tally, String>>, id: &String| {
            loop {
                let stored = load_one(&**repository, id).await;
                let (n, position, expected) = stored.map_or((0, 0, Expected::Absent), |stored| {
                    (stored.state.unwrap().n, stored.position.as_i64(), Expected::At(stored.position))
                });
                let next = u32::try_from(position + 1).unwrap();
                let outcomes = write(&**repository, &[change(id, Some(&Tally::of(n + 1)), next, expected)]).await;
                match outcomes[..] {
                    [ChangeOutcome::Written { .. }] => break,
                    [ChangeOutcome::Lost] => {}
                    ref other => panic!("{other:?}"),
                }
            }
        };
        let ids = ["a", "b"].map(str::to_owned);
        let writers = (0..WRITERS).map(|_| async {
            let repository = open(&views).await;
            for _ in 0..ROUNDS {
                for id in &ids {
                    increment(&repository, id).await;
                }
            }
        });
        futures::future::join_all(writers).await;
        let repository = open(&views).await;
        for id in &ids {
            let n = repository.find_by_id(id).await.unwrap().unwrap().n;
            assert_eq!(n, ROUNDS * i64::try_from(WRITERS).unwrap());
        }
    })
    .await;
}

async fn an_instance_that_vanished_is_lost_and_named_among_many(server: Kind) {
    with_database_on(server, |database| async move {
        let repository = open(&MongoViews::new(database.database.clone())).await;
        let ids: Vec<String> = (0..50).map(|n| n.to_string()).collect();
        let (one, two) = (Tally::of(1), Tally::of(2));
        let inserts: Vec<_> = ids.iter().map(|id| change(id, Some(&one), 5, Expected::Absent)).collect();
        write(&*repository, &inserts).await;
        let plain = database.plain().await.collection::<Document>("view.v1");
        plain.delete_many(doc! { "_id": { "$in": ["7", "8"] } }).await.unwrap();
        let updates: Vec<_> = ids.iter().map(|id| change(id, Some(&two), 6, at(5))).collect();
        let outcomes = write(&*repository, &updates).await;
        let lost: Vec<_> = ids
            .iter()
            .zip(&outcomes)
            .filter(|(_, outcome)| matches!(outcome, ChangeOutcome::Lost))
            .map(|(id, _)| id.as_str())
            .collect();
        assert_eq!(lost, ["7", "8"]);
        assert_eq!(plain.count_documents(doc! {}).await.unwrap(), 48);
    })
    .await;
}

// spec: B18
async fn a_delete_that_stopped_after_its_tombstone_is_a_delete(server: Kind) {
    with_database_on(server, |database| async move {
        let repository = open(&MongoViews::new(database.database.clone())).await;
        let [a, b] = ["a", "b"].map(str::to_owned);
        for id in [&a, &b] {
            put(&*repository, id, Some(&Tally::of(1)), 5, Expected::Absent).await;
        }
        let point = database.fail(&["delete"], 1, doc! { "closeConnection": true }).await;
        let outcomes = write(&*repository, &[change(&a, None, 8, at(5)), change(&b, None, 8, at(5))]).await;
        point.off().await;
        assert_eq!(outcome_names(&outcomes), ["unknown"; 2]);

        // The document is there, and the tombstone above it: whoever loads it knows of the delete.
        assert!(repository.find_by_id(&a).await.unwrap().is_some());
        let stored = load_one(&*repository, &a).await.unwrap();
        assert_eq!((stored.state, stored.position), (None, Position::from(8)));

        // Created again over both.
        put(&*repository, &a, Some(&Tally::of(2)), 9, at(8)).await;
        assert_eq!(load_one(&*repository, &a).await.unwrap().state, Some(Tally::of(2)));

        // Taken away with the tombstone, which must not bring it back.
        repository.guarded().unwrap().checkpoint_passed(Position::from(8)).await.unwrap();
        assert!(load_one(&*repository, &b).await.is_none());
        assert!(repository.find_by_id(&b).await.unwrap().is_none());
        assert_eq!(load_one(&*repository, &a).await.unwrap().position, Position::from(9));
    })
    .await;
}

// spec: B18
async fn tombstones_of_another_version_in_a_plain_collection_are_left_alone(server: Kind) {
    with_database_on(server, |database| async move {
        let options = MongoViewsOptions::new().with_plain_collection("view", "view");
        let repository = open(&MongoViews::with_options(database.database.clone(), options)).await;
        let a = "a".to_owned();
        put(&*repository, &a, Some(&Tally::of(1)), 5, Expected::Absent).await;
        put(&*repository, &a, None, 8, at(5)).await;
        let plain = database.plain().await.collection::<Document>("view.tombstones");
        plain.update_one(doc! {}, doc! { "$set": { "_projection.version": 7 } }).await.unwrap();
        repository.guarded().unwrap().checkpoint_passed(Position::from(9)).await.unwrap();
        assert_eq!(plain.count_documents(doc! {}).await.unwrap(), 1);
    })
    .await;
}

// spec: B18
async fn a_delete_again_after_one_that_stopped_takes_the_document_away(server: Kind) {
    with_database_on(server, |database| async move {
        let repository = open(&MongoViews::new(database.database.clone())).await;
        let a = "a".to_owned();
        put(&*repository, &a, Some(&Tally::of(1)), 5, Expected::Absent).await;
        let point = database.fail(&["delete"], 1, doc! { "closeConnection": true }).await;
        write(&*repository, &[change(&a, None, 8, at(5))]).await;
        point.off().await;
        put(&*repository, &a, None, 9, at(8)).await;
        assert!(repository.find_by_id(&a).await.unwrap().is_none());
    })
    .await;
}

// spec: B18
async fn a_delete_that_stopped_before_its_tombstone_changes_nothing(server: Kind) {
    with_database_on(server, |database| async move {
        let repository = open(&MongoViews::new(database.database.clone())).await;
        let a = "a".to_owned();
        put(&*repository, &a, Some(&Tally::of(1)), 5, Expected::Absent).await;
        let point = database.fail(&["update"], 1, doc! { "closeConnection": true }).await;
        let outcomes = write(&*repository, &[change(&a, None, 8, at(5))]).await;
        point.off().await;
        assert_eq!(outcome_names(&outcomes), ["unknown"]);
        assert_eq!(load_one(&*repository, &a).await.unwrap().state, Some(Tally::of(1)));
        put(&*repository, &a, None, 8, at(5)).await;
        assert!(repository.find_by_id(&a).await.unwrap().is_none());
    })
    .await;
}

// spec: B32
async fn two_keys_are_one_id_exactly_when_they_are_equal(server: Kind) {
    async fn check<K: Key>(database: &acceptance::server::TestDatabase, keys: HashSet<K>) {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<String, K>>(&SourceName::default()).await.unwrap();
        let keys: Vec<_> = keys.into_iter().collect();
        let states: Vec<_> = keys.iter().map(|key| format!("{key:?}")).collect();
        let changes: Vec<_> =
            keys.iter().zip(&states).map(|(key, state)| change(key, Some(state), 1, Expected::Absent)).collect();
        let outcomes = write(&*repository, &changes).await;
        assert!(
            outcomes.iter().all(|outcome| matches!(outcome, ChangeOutcome::Written { .. })),
            "two keys, one id"
        );
        let again = write(&*repository, &changes).await;
        assert!(again.iter().all(|outcome| matches!(outcome, ChangeOutcome::Lost)), "one key, two ids");
        for (place, state) in repository.find_all_by_id(&keys).await.unwrap() {
            assert_eq!(state, states[place]);
        }
        let plain = database.plain().await.collection::<Document>("view.v1");
        plain.delete_many(doc! {}).await.unwrap();
    }
    fn some<K: Key>(strategy: impl Strategy<Value = K>) -> HashSet<K> {
        let mut runner = TestRunner::default();
        let strategy = proptest::collection::vec(strategy, 300);
        strategy.new_tree(&mut runner).unwrap().current().into_iter().collect()
    }
    with_database_on(server, |database| async move {
        check(&database, some("[a-cA-C0ä \\PC]{0,3}")).await;
        check(&database, some(prop_oneof![any::<i64>(), -3..3_i64, (1 << 53) - 3..(1_i64 << 53) + 3])).await;
        check(&database, some(any::<u128>().prop_map(Uuid::from_u128))).await;
        check(&database, some(proptest::collection::vec(0..3_u8, 0..4))).await;
    })
    .await;
    assert_ne!(KeyRef::Text("1"), KeyRef::Int(1));
}

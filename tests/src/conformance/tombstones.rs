//! Deletes keep their guard (spec: B18).

use projection_core::{
    Position, ViewStore,
    store::{Expected, SharedRepository, SourceName},
};

use super::{Tally, View, change, load_one, outcome_names, put, write};

async fn open(views: &impl ViewStore) -> SharedRepository<View<Tally, String>> {
    views.open::<View<Tally, String>>(&SourceName::default()).await.unwrap()
}

fn at(position: u32) -> Expected {
    Expected::At(Position::from(position))
}

/// A deleted instance is gone for readers, and its position stays.
pub async fn a_delete_leaves_the_position(views: &impl ViewStore) {
    let repository = open(views).await;
    let a = "a".to_owned();
    put(&*repository, &a, Some(&Tally::of(1)), 5, Expected::Absent).await;
    put(&*repository, &a, None, 8, at(5)).await;
    assert_eq!(repository.find_by_id(&a).await.unwrap(), None);
    let stored = load_one(&*repository, &a).await.unwrap();
    assert_eq!((stored.state, stored.position), (None, Position::from(8)));
}

/// A late writer, which loaded the instance before it was there or before it was deleted, does not bring it back.
pub async fn a_late_writer_does_not_bring_a_deleted_instance_back(views: &impl ViewStore) {
    let repository = open(views).await;
    let a = "a".to_owned();
    put(&*repository, &a, Some(&Tally::of(1)), 5, Expected::Absent).await;
    put(&*repository, &a, None, 8, at(5)).await;
    for expected in [Expected::Absent, at(5), at(7)] {
        for state in [Some(&Tally::of(2)), None] {
            let outcomes = write(&*repository, &[change(&a, state, 9, expected)]).await;
            assert_eq!(outcome_names(&outcomes), ["lost"], "{expected:?}");
        }
    }
    assert_eq!(repository.find_by_id(&a).await.unwrap(), None);
    assert_eq!(load_one(&*repository, &a).await.unwrap().position, Position::from(8));
}

/// A delete that lost changes nothing.
pub async fn a_delete_that_lost_changes_nothing(views: &impl ViewStore) {
    let repository = open(views).await;
    let a = "a".to_owned();
    put(&*repository, &a, Some(&Tally::of(1)), 5, Expected::Absent).await;
    for expected in [Expected::Absent, at(4)] {
        assert_eq!(outcome_names(&write(&*repository, &[change(&a, None, 9, expected)]).await), ["lost"]);
    }
    let stored = load_one(&*repository, &a).await.unwrap();
    assert_eq!((stored.state, stored.position), (Some(Tally::of(1)), Position::from(5)));
    let b = "b".to_owned();
    assert_eq!(outcome_names(&write(&*repository, &[change(&b, None, 9, at(4))]).await), ["lost"]);
    assert!(load_one(&*repository, &b).await.is_none());
}

/// An instance is created again over its tombstone, deleted again, and so on.
pub async fn an_instance_is_created_again_over_its_tombstone(views: &impl ViewStore) {
    let repository = open(views).await;
    let a = "a".to_owned();
    put(&*repository, &a, Some(&Tally::of(1)), 1, Expected::Absent).await;
    for round in [10, 20, 30] {
        let before = load_one(&*repository, &a).await.unwrap().position;
        put(&*repository, &a, None, round, Expected::At(before)).await;
        put(&*repository, &a, None, round + 1, at(round)).await;
        put(&*repository, &a, Some(&Tally::of(2)), round + 2, at(round + 1)).await;
        let stored = load_one(&*repository, &a).await.unwrap();
        assert_eq!((stored.state, stored.position), (Some(Tally::of(2)), Position::from(round + 2)));
        assert_eq!(repository.find_by_id(&a).await.unwrap(), Some(Tally::of(2)));
    }
}

/// Created and deleted within a batch, over nothing: the position stays.
pub async fn deleting_what_was_never_stored_leaves_the_position(views: &impl ViewStore) {
    let repository = open(views).await;
    let a = "a".to_owned();
    put(&*repository, &a, None, 8, Expected::Absent).await;
    assert_eq!(load_one(&*repository, &a).await.unwrap().position, Position::from(8));
}

/// A tombstone goes when a checkpoint has passed it, and not before.
pub async fn a_tombstone_goes_when_a_checkpoint_has_passed_it(views: &impl ViewStore) {
    let repository = open(views).await;
    let (a, b) = ("a".to_owned(), "b".to_owned());
    for (id, position) in [(&a, 8), (&b, 9)] {
        put(&*repository, id, Some(&Tally::of(1)), 5, Expected::Absent).await;
        put(&*repository, id, None, position, at(5)).await;
    }
    let guarded = repository.guarded().unwrap();
    guarded.checkpoint_passed(Position::from(7)).await.unwrap();
    assert!(load_one(&*repository, &a).await.is_some());
    guarded.checkpoint_passed(Position::from(8)).await.unwrap();
    assert!(load_one(&*repository, &a).await.is_none());
    assert!(load_one(&*repository, &b).await.is_some());
    guarded.checkpoint_passed(Position::from(9)).await.unwrap();
    assert!(load_one(&*repository, &b).await.is_none());
    put(&*repository, &a, Some(&Tally::of(2)), 10, Expected::Absent).await;
}

/// Tombstones are there for whoever opens the view later.
pub async fn a_tombstone_is_there_after_opening_again(views: &impl ViewStore) {
    let a = "a".to_owned();
    {
        let repository = open(views).await;
        put(&*repository, &a, Some(&Tally::of(1)), 5, Expected::Absent).await;
        put(&*repository, &a, None, 8, at(5)).await;
    }
    let repository = open(views).await;
    assert_eq!(load_one(&*repository, &a).await.unwrap().position, Position::from(8));
    let outcomes = write(&*repository, &[change(&a, Some(&Tally::of(2)), 9, Expected::Absent)]).await;
    assert_eq!(outcome_names(&outcomes), ["lost"]);
}

/// Only a view without states and tombstones is empty: then a replay does not read before it inserts.
pub async fn what_is_empty_has_neither_states_nor_tombstones(views: &impl ViewStore) {
    let repository = open(views).await;
    let guarded = repository.guarded().unwrap();
    assert!(guarded.is_empty().await.unwrap());
    let a = "a".to_owned();
    put(&*repository, &a, Some(&Tally::of(1)), 5, Expected::Absent).await;
    assert!(!guarded.is_empty().await.unwrap());
    put(&*repository, &a, None, 8, at(5)).await;
    assert!(!guarded.is_empty().await.unwrap());
    assert!(!open(views).await.guarded().unwrap().is_empty().await.unwrap());
}

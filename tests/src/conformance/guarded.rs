//! A repository that keeps positions: what is loaded, what is written, what is lost.

use projection_core::{
    ErrorKind, EventRef, Position, ViewStore,
    store::{Change, ChangeOutcome, Commit, Expected, SharedRepository, SourceName},
};

use super::{Tally, View, change, load, load_one, outcome_names, put, write};

type Repository = SharedRepository<View<Tally, String>>;

async fn open(views: &impl ViewStore) -> Repository {
    views.open::<View<Tally, String>>(&SourceName::default()).await.unwrap()
}

fn at(position: u32) -> Expected {
    Expected::At(Position::from(position))
}

fn ids<const N: usize>(ids: [&str; N]) -> [String; N] {
    ids.map(str::to_owned)
}

// spec: B11
/// State and position are loaded as they were written together.
pub async fn a_position_is_stored_with_its_state(views: &impl ViewStore) {
    let repository = open(views).await;
    let [a, b] = ids(["a", "b"]);
    put(&*repository, &a, Some(&Tally::of(1)), 7, Expected::Absent).await;
    let stored = load_one(&*repository, &a).await.unwrap();
    assert_eq!((stored.state, stored.position), (Some(Tally::of(1)), Position::from(7)));
    assert!(stored.bytes > 0);
    assert!(load_one(&*repository, &b).await.is_none());
    assert_eq!(repository.find_by_id(&a).await.unwrap(), Some(Tally::of(1)));
    assert!(repository.guarded().unwrap().load(&[]).await.unwrap().is_empty());
}

/// Each change has its own outcome, in the order of the changes; what lost is not written.
pub async fn each_change_is_written_or_lost_by_itself(views: &impl ViewStore) {
    let repository = open(views).await;
    let all = ids(["new", "at", "wrong", "there", "missing"]);
    let [new, right, wrong, there, missing] = &all;
    for id in [right, wrong, there] {
        put(&*repository, id, Some(&Tally::of(1)), 5, Expected::Absent).await;
    }
    let two = Tally::of(2);
    let outcomes = write(
        &*repository,
        &[
            change(missing, Some(&two), 9, at(5)),
            change(new, Some(&two), 9, Expected::Absent),
            change(wrong, Some(&two), 9, at(4)),
            change(right, Some(&two), 9, at(5)),
            change(there, Some(&two), 9, Expected::Absent),
        ],
    )
    .await;
    assert_eq!(outcome_names(&outcomes), ["lost", "written", "lost", "written", "lost"]);
    let found = load(&*repository, &all).await;
    let found: Vec<_> = found.iter().map(|stored| stored.as_ref().map(|stored| stored.position.as_i64())).collect();
    assert_eq!(found, [Some(9), Some(9), Some(5), Some(5), None]);
}

/// A change without an instance to change never creates one (spec: B18).
pub async fn a_change_at_a_position_never_inserts(views: &impl ViewStore) {
    let repository = open(views).await;
    let [a] = ids(["a"]);
    let outcomes = write(&*repository, &[change(&a, Some(&Tally::of(1)), 9, at(5))]).await;
    assert_eq!(outcome_names(&outcomes), ["lost"]);
    assert!(load_one(&*repository, &a).await.is_none());
}

/// A batch of no changes is fine.
pub async fn an_empty_batch_is_fine(views: &impl ViewStore) {
    assert!(write(&*open(views).await, &[]).await.is_empty());
}

/// The same batch again loses everywhere, and changes nothing.
pub async fn the_same_batch_again_changes_nothing(views: &impl ViewStore) {
    let repository = open(views).await;
    let [a, b, c] = ids(["a", "b", "c"]);
    put(&*repository, &b, Some(&Tally::of(1)), 1, Expected::Absent).await;
    put(&*repository, &c, Some(&Tally::of(1)), 1, Expected::Absent).await;
    let two = Tally::of(2);
    let batch =
        [change(&a, Some(&two), 4, Expected::Absent), change(&b, Some(&two), 5, at(1)), change(&c, None, 6, at(1))];
    assert_eq!(outcome_names(&write(&*repository, &batch).await), ["written"; 3]);
    let once = load(&*repository, &[a.clone(), b.clone(), c.clone()]).await;
    assert_eq!(outcome_names(&write(&*repository, &batch).await), ["lost"; 3]);
    assert_eq!(load(&*repository, &[a, b, c]).await, once);
}

// spec: P20
/// Events without a position are kept with the state, in their order, and replaced with it.
pub async fn offered_events_are_kept_with_the_state(views: &impl ViewStore) {
    let repository = open(views).await;
    let [a] = ids(["a"]);
    let offered = [EventRef::new("shop", "2"), EventRef::new("shop", "1"), EventRef::new("bank", "1")];
    let one = Tally::of(1);
    let position = Position::START;
    let first = Change { id: &a, state: Some(&one), position, offered: &offered, expected: Expected::Absent };
    assert_eq!(outcome_names(&write(&*repository, &[first]).await), ["written"]);
    let stored = load_one(&*repository, &a).await.unwrap();
    assert_eq!((stored.offered.as_slice(), stored.position), (&offered[..], position));

    let second = Change { id: &a, state: Some(&one), position, offered: &offered[1..], expected: at(0) };
    assert_eq!(outcome_names(&write(&*repository, &[second]).await), ["written"]);
    assert_eq!(load_one(&*repository, &a).await.unwrap().offered, offered[1..]);
}

/// A state that cannot be stored is refused by itself, naming the instance; the others are written.
pub async fn a_refused_state_does_not_take_the_others_with_it(views: &impl ViewStore) {
    let view = views.open::<View<serde_json::Value, String>>(&SourceName::default()).await.unwrap();
    let all = ids(["a", "b", "c"]);
    let states = [
        serde_json::json!({ "n": 1 }),
        serde_json::json!({ "_projection": 1 }),
        serde_json::json!({ "_id": "other" }),
    ];
    let changes: Vec<_> =
        all.iter().zip(&states).map(|(id, state)| change(id, Some(state), 1, Expected::Absent)).collect();
    let outcomes = write(&*view, &changes).await;
    assert_eq!(outcome_names(&outcomes), ["written", "rejected", "rejected"]);
    for (outcome, name) in outcomes[1..].iter().zip(["\"b\"", "\"c\""]) {
        let ChangeOutcome::Rejected(error) = outcome else { unreachable!() };
        assert_eq!(error.kind(), ErrorKind::Poison);
        assert!(error.to_string().contains(name), "{error}");
    }
    assert_eq!(load(&*view, &all).await.iter().flatten().count(), 1);
}

/// An instance that was saved without a position cannot be guarded: it is named, not taken for one at the start.
pub async fn an_instance_without_a_position_is_refused(views: &impl ViewStore) {
    let repository = open(views).await;
    let [a] = ids(["a"]);
    repository.save(&a, &Tally::of(1)).await.unwrap();
    let error = repository.guarded().unwrap().load(std::slice::from_ref(&a)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Permanent);
    assert!(error.to_string().contains("instance \"a\" has no position"), "{error}");
    for expected in [Expected::Absent, at(0)] {
        let outcomes = write(&*repository, &[change(&a, Some(&Tally::of(2)), 1, expected)]).await;
        assert_eq!(outcome_names(&outcomes), ["lost"]);
    }
}

/// Positions of one source say nothing to another: both are named.
pub async fn an_instance_fed_from_another_source_is_refused(views: &impl ViewStore) {
    let [a] = ids(["a"]);
    put(&*open(views).await, &a, Some(&Tally::of(1)), 5, Expected::Absent).await;
    let orders = SourceName::new("orders").unwrap();
    let repository = views.open::<View<Tally, String>>(&orders).await.unwrap();
    let error = repository.guarded().unwrap().load(std::slice::from_ref(&a)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Permanent);
    for name in ["`events`", "`orders`", "\"a\""] {
        assert!(error.to_string().contains(name), "{error}");
    }
    let outcomes = write(&*repository, &[change(&a, Some(&Tally::of(2)), 9, at(5))]).await;
    assert_eq!(outcome_names(&outcomes), ["lost"]);
}

/// A checkpoint is stored with the batch or not at all; never when a change was not written.
pub async fn a_checkpoint_is_never_stored_with_a_batch_that_lost(views: &impl ViewStore) {
    use projection_core::store::CheckpointOutcome;

    let repository = open(views).await;
    let [a] = ids(["a"]);
    let checkpoint = super::checkpoints::checkpoint("view", 1, 0, 9);
    let one = Tally::of(1);
    let storage = views.checkpoints();
    let commit = async |expected| {
        let changes = [change(&a, Some(&one), 9, expected)];
        let commit = Commit { changes: &changes, fence: None, checkpoint: Some(&checkpoint) };
        repository.guarded().unwrap().commit(commit).await
    };
    let lost = commit(at(3)).await;
    assert_eq!(outcome_names(&lost.outcomes), ["lost"]);
    assert!(matches!(lost.checkpoint, CheckpointOutcome::NotJoined));
    assert!(storage.load("view").await.unwrap().is_empty());

    let written = commit(Expected::Absent).await;
    assert_eq!(outcome_names(&written.outcomes), ["written"]);
    let stored = storage.load("view").await.unwrap();
    match written.checkpoint {
        CheckpointOutcome::Stored => assert_eq!(stored, [checkpoint]),
        CheckpointOutcome::NotJoined => assert!(stored.is_empty()),
        other => panic!("{other:?}"),
    }
}

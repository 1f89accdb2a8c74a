//! What an owner writes is in transactions, with its fence and checkpoint in them.

use acceptance::{
    conformance::{Account, Tally, View, change, checkpoints::checkpoint, leases, load, outcome_names},
    server::{TestDatabase, with_database},
};
use bson::{Document, doc};
use projection_core::{
    ErrorKind, Position, ViewState, ViewStore,
    store::{
        Change, ChangeOutcome, Checkpoint, CheckpointOutcome, Commit, Committed, Expected, Fence, SharedRepository,
        SourceName,
    },
};
use projection_mongo::{MongoViews, MongoViewsOptions, Transactions};

type Repository<S> = SharedRepository<View<S, i64>>;

const AT_1: Expected = Expected::At(Position::START);

fn at(position: u32) -> Expected {
    Expected::At(Position::from(position))
}

/// A view, opened by its owner.
async fn own<S: ViewState>(database: &TestDatabase) -> (MongoViews, Repository<S>, Fence) {
    let views = MongoViews::new(database.database.clone());
    let repository = views.open::<View<S, i64>>(&SourceName::default()).await.unwrap();
    let fence = leases::wait_for(&*views.leases().unwrap(), "owner").await;
    (views, repository, fence)
}

async fn commit<S: ViewState>(
    repository: &Repository<S>,
    fence: &Fence,
    checkpoint: Option<&Checkpoint>,
    changes: &[Change<'_, S, i64>],
) -> Committed {
    repository.guarded().unwrap().commit(Commit { changes, fence: Some(fence), checkpoint }).await
}

async fn checkpointed(views: &MongoViews) -> Option<i64> {
    views.checkpoints().load("view").await.unwrap().first().map(|checkpoint| checkpoint.position.as_i64())
}

async fn count(database: &TestDatabase, collection: &str) -> u64 {
    database.plain().await.collection::<Document>(collection).count_documents(doc! {}).await.unwrap()
}

// spec: B31
#[tokio::test]
async fn a_flush_is_one_find_and_one_transaction() {
    with_database(|database| async move {
        let (_, repository, fence) = own::<Tally>(&database).await;
        let ids: Vec<i64> = (0..300).collect();
        let (one, two) = (Tally::of(1), Tally::of(2));
        let sent = || database.commands.take();
        let new: Vec<_> = ids.iter().map(|id| change(id, Some(&one), 1, Expected::Absent)).collect();
        commit(&repository, &fence, Some(&checkpoint("view", 1, 0, 1)), &new).await;

        // The first commit of an owner says which session it uses, and the first checkpoint finds no tombstones.
        repository.guarded().unwrap().checkpoint_passed(Position::from(1)).await.unwrap();
        sent();
        load(&*repository, &ids).await;
        let changes: Vec<_> = ids.iter().map(|id| change(id, Some(&two), 2, at(1))).collect();
        let committed = commit(&repository, &fence, Some(&checkpoint("view", 1, 0, 2)), &changes).await;
        assert_eq!(outcome_names(&committed.outcomes), ["written"; 300]);
        assert_eq!(sent(), ["find", "update", "find", "update", "update", "commitTransaction"]);

        // What is known to be new is not looked for.
        let ids: Vec<i64> = (1000..1300).collect();
        let new: Vec<_> = ids.iter().map(|id| change(id, Some(&one), 3, Expected::Absent)).collect();
        commit(&repository, &fence, Some(&checkpoint("view", 1, 0, 3)), &new).await;
        assert_eq!(sent(), ["update", "insert", "update", "commitTransaction"]);
    })
    .await;
}

// spec: B18
#[tokio::test]
async fn a_delete_leaves_a_tombstone_until_the_checkpoint_has_passed() {
    with_database(|database| async move {
        let (_, repository, fence) = own::<Tally>(&database).await;
        let one = Tally::of(1);
        commit(&repository, &fence, None, &[change(&1, Some(&one), 1, Expected::Absent)]).await;
        let at_2 = checkpoint("view", 1, 0, 2);
        let committed = commit(&repository, &fence, Some(&at_2), &[change(&1, None, 2, at(1))]).await;
        assert!(matches!(committed.checkpoint, CheckpointOutcome::Stored));
        assert_eq!((count(&database, "view.v1").await, count(&database, "view.v1.tombstones").await), (0, 1));
        repository.guarded().unwrap().checkpoint_passed(Position::from(2)).await.unwrap();
        assert_eq!(count(&database, "view.v1.tombstones").await, 0);
    })
    .await;
}

// spec: B18
#[tokio::test]
async fn where_a_change_lost_the_deletes_beside_it_leave_tombstones() {
    with_database(|database| async move {
        let (views, repository, fence) = own::<Tally>(&database).await;
        let one = Tally::of(1);
        let new: Vec<_> = [1, 2].iter().map(|id| change(id, Some(&one), 1, Expected::Absent)).collect();
        commit(&repository, &fence, None, &new).await;
        let changes = [change(&1, None, 2, at(1)), change(&2, Some(&one), 2, at(9))];
        let at_2 = checkpoint("view", 1, 0, 2);
        let committed = commit(&repository, &fence, Some(&at_2), &changes).await;
        assert_eq!(outcome_names(&committed.outcomes), ["written", "lost"]);
        assert!(matches!(committed.checkpoint, CheckpointOutcome::NotJoined));
        assert_eq!(checkpointed(&views).await, None);
        assert_eq!((count(&database, "view.v1").await, count(&database, "view.v1.tombstones").await), (1, 1));
    })
    .await;
}

// spec: B18
#[tokio::test]
async fn a_new_owner_sees_the_tombstones_of_the_former_one() {
    with_database(|database| async move {
        let (first, repository, fence) = own::<Tally>(&database).await;
        // It stands by, and has seen that there are no tombstones.
        let second = MongoViews::new(database.plain().await);
        let theirs = second.open::<View<Tally, i64>>(&SourceName::default()).await.unwrap();
        let one = Tally::of(1);
        commit(&repository, &fence, None, &[change(&1, Some(&one), 1, Expected::Absent)]).await;
        commit(&repository, &fence, None, &[change(&1, None, 5, at(1))]).await;
        first.leases().unwrap().release("view", &fence).await.unwrap();
        leases::wait_for(&*second.leases().unwrap(), "second").await;
        let found = load(&*theirs, &[1]).await.remove(0).unwrap();
        assert_eq!((found.state, found.position), (None, Position::from(5)));
    })
    .await;
}

// spec: B10, B15
#[tokio::test]
async fn what_makes_a_transaction_fail_is_taken_out_and_the_rest_is_written() {
    with_database(|database| async move {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<Account>(&SourceName::default()).await.unwrap();
        let leases = views.leases().unwrap();
        let request = projection_core::store::LeaseRequest {
            projection: "account".to_owned(),
            version: 1,
            owner: "owner".to_owned(),
            ttl: std::time::Duration::from_secs(60),
        };
        let projection_core::store::LeaseAnswer::Held(fence) = leases.acquire(&request).await.unwrap() else {
            panic!("it is free")
        };
        let account = |email: &str| Account { email: email.to_owned(), city: "Rome".to_owned() };
        let states = ["a@x", "b@x", "a@x", "c@x", "b@x"].map(account);
        let large = Account { email: "d@x".to_owned(), city: "x".repeat(17_000_000) };
        let ids: Vec<String> = (0..6).map(|id| id.to_string()).collect();
        let changes: Vec<_> = ids
            .iter()
            .zip(states.iter().chain([&large]))
            .map(|(id, state)| change(id, Some(state), 1, Expected::Absent))
            .collect();
        let at_1 = checkpoint("account", 1, 0, 1);
        let commit = Commit { changes: &changes, fence: Some(&fence), checkpoint: Some(&at_1) };
        let committed = repository.guarded().unwrap().commit(commit).await;
        assert_eq!(
            outcome_names(&committed.outcomes),
            ["written", "written", "rejected", "written", "rejected", "rejected"]
        );
        let kinds: Vec<_> = committed
            .outcomes
            .iter()
            .filter_map(|outcome| match outcome {
                ChangeOutcome::Rejected(error) => Some(error.kind()),
                _ => None,
            })
            .collect();
        assert_eq!(kinds, [ErrorKind::Unique, ErrorKind::Unique, ErrorKind::Poison]);
        assert!(matches!(committed.checkpoint, CheckpointOutcome::NotJoined));
        assert_eq!(count(&database, "account.v1").await, 3);

        // A value that moves inside the batch, in the order that the index refuses at first.
        let (moved, freed) = (account("b@x"), account("e@x"));
        let changes = [change(&ids[0], Some(&moved), 2, at(1)), change(&ids[1], Some(&freed), 2, at(1))];
        let commit = Commit { changes: &changes, fence: Some(&fence), checkpoint: Some(&at_1) };
        let committed = repository.guarded().unwrap().commit(commit).await;
        assert_eq!(outcome_names(&committed.outcomes), ["written"; 2]);
        assert!(matches!(committed.checkpoint, CheckpointOutcome::Stored));
    })
    .await;
}

// spec: B30
#[tokio::test]
async fn of_a_batch_whose_second_transaction_fails_whole_chunks_are_stored() {
    with_database(|database| async move {
        let (views, repository, fence) = own::<i64>(&database).await;
        let ids: Vec<i64> = (0..12_000).collect();
        let changes: Vec<_> = ids.iter().map(|id| change(id, Some(id), 1, Expected::Absent)).collect();
        let at_1 = checkpoint("view", 1, 0, 1);
        commit(&repository, &fence, None, &[change(&-1, Some(&1), 1, Expected::Absent)]).await;
        let point = database.fail_after(&["insert"], 1, doc! { "closeConnection": true }).await;
        let committed = commit(&repository, &fence, Some(&at_1), &changes).await;
        point.off().await;
        let names = outcome_names(&committed.outcomes);
        assert!(names[..5000].iter().all(|name| *name == "written"));
        assert!(names[5000..].iter().all(|name| *name == "unknown"));
        assert!(matches!(committed.checkpoint, CheckpointOutcome::NotJoined));
        assert_eq!(checkpointed(&views).await, None);
        assert_eq!(count(&database, "view.v1").await, 5001);

        // Done again, all of it is there, with the checkpoint.
        let rest: Vec<_> = ids[5000..].iter().map(|id| change(id, Some(id), 1, Expected::Absent)).collect();
        let committed = commit(&repository, &fence, Some(&at_1), &rest).await;
        assert!(matches!(committed.checkpoint, CheckpointOutcome::Stored));
        assert_eq!(count(&database, "view.v1").await, 12_001);
    })
    .await;
}

#[tokio::test]
async fn what_another_wrote_without_a_fence_is_not_overwritten() {
    with_database(|database| async move {
        let (_, repository, fence) = own::<Tally>(&database).await;
        let states = [1, 2, 3].map(Tally::of);
        let without = |expected| [change(&1, Some(&states[0]), 5, expected)];
        let guarded = repository.guarded().unwrap();
        guarded.commit(Commit { changes: &without(Expected::Absent), fence: None, checkpoint: None }).await;
        // Expected absent, and expected at another position.
        for expected in [Expected::Absent, AT_1] {
            let changes =
                [change(&1, Some(&states[1]), 7, expected), change(&2, Some(&states[1]), 7, Expected::Absent)];
            let committed = commit(&repository, &fence, None, &changes).await;
            assert_eq!(outcome_names(&committed.outcomes)[0], "lost");
        }
        let found = load(&*repository, &[1, 2]).await;
        assert_eq!(found[0].as_ref().unwrap().state, Some(Tally::of(1)));
        assert_eq!(found[1].as_ref().unwrap().state, Some(Tally::of(2)));
    })
    .await;
}

#[tokio::test]
async fn without_transactions_an_owner_asks_for_its_fence_and_writes_what_stands_where_it_was() {
    with_database(|database| async move {
        let options = MongoViewsOptions::new().with_transactions(Transactions::Never);
        let views = MongoViews::with_options(database.database.clone(), options);
        let repository = views.open::<View<Tally, i64>>(&SourceName::default()).await.unwrap();
        let fence = leases::wait_for(&*views.leases().unwrap(), "owner").await;
        repository.guarded().unwrap().checkpoint_passed(Position::START).await.unwrap();
        database.commands.take();
        let one = Tally::of(1);
        let at_1 = checkpoint("view", 1, 0, 1);
        let committed =
            commit(&repository, &fence, Some(&at_1), &[change(&1, Some(&one), 1, Expected::Absent)]).await;
        assert_eq!(outcome_names(&committed.outcomes), ["written"]);
        assert!(matches!(committed.checkpoint, CheckpointOutcome::NotJoined));
        // Its first commit tells the collection from which epoch on it takes documents.
        let sent = ["listCollections", "create", "collMod", "find", "insert"];
        assert_eq!(database.commands.take(), sent);

        let two = Tally::of(2);
        leases::take_over(&*views.leases().unwrap(), "owner", "other").await;
        let committed = commit(&repository, &fence, Some(&at_1), &[change(&1, Some(&two), 2, at(1))]).await;
        assert_eq!(outcome_names(&committed.outcomes), ["lost"]);
        assert!(matches!(committed.checkpoint, CheckpointOutcome::Fenced));
    })
    .await;
}

/// Whichever kind of server the tests run on.
#[tokio::test]
async fn transactions_are_refused_where_the_server_has_none() {
    with_database(|database| async move {
        let hello = database.plain().await.run_command(doc! { "hello": 1 }).await.unwrap();
        let options = MongoViewsOptions::new().with_transactions(Transactions::Always);
        let views = MongoViews::with_options(database.database.clone(), options);
        match views.open::<View<Tally, i64>>(&SourceName::default()).await {
            Ok(_) => assert!(hello.contains_key("setName") || hello.contains_key("msg"), "{hello}"),
            Err(error) => {
                assert!(!hello.contains_key("setName"), "{error}");
                assert_eq!(error.kind(), ErrorKind::Permanent);
                assert!(error.to_string().contains("a standalone server has no transactions"), "{error}");
            }
        }
    })
    .await;
}

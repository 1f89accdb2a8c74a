//! Faults in the middle of an owner's transaction: nothing of it is stored, or all, and which is found out.

use std::time::Duration;

use acceptance::{
    conformance::{Tally, View, change, checkpoints::checkpoint, leases, load, outcome_names},
    server::{TestDatabase, with_database},
};
use bson::{Document, doc};
use projection_core::{
    ErrorKind, Position, ViewStore,
    store::{ChangeOutcome, CheckpointOutcome, Commit, Committed, Expected, Fence, SharedRepository, SourceName},
};
use projection_mongo::{MongoError, MongoViews};

type Repository = SharedRepository<View<Tally, i64>>;

/// A view with instance 1 at position 5 and its owner.
struct Owned {
    views: MongoViews,
    repository: Repository,
    fence: Fence,
}

impl Owned {
    async fn open(database: &TestDatabase) -> Self {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<Tally, i64>>(&SourceName::default()).await.unwrap();
        let fence = leases::wait_for(&*views.leases().unwrap(), "owner").await;
        let owned = Self { views, repository, fence };
        let one = Tally::of(1);
        let changes = [change(&1, Some(&one), 5, Expected::Absent)];
        let at_5 = checkpoint("view", 1, 0, 5);
        let commit = Commit { changes: &changes, fence: Some(&owned.fence), checkpoint: Some(&at_5) };
        let committed = owned.repository.guarded().unwrap().commit(commit).await;
        assert!(matches!(committed.checkpoint, CheckpointOutcome::Stored), "{committed:?}");
        owned
    }

    /// Replaces instance 1, inserts instance 2, stores the checkpoint at 8.
    async fn commit(&self) -> Committed {
        let two = Tally::of(2);
        let at_5 = Expected::At(Position::from(5));
        let changes = [change(&2, Some(&two), 8, Expected::Absent), change(&1, Some(&two), 8, at_5)];
        let at_8 = checkpoint("view", 1, 0, 8);
        let commit = Commit { changes: &changes, fence: Some(&self.fence), checkpoint: Some(&at_8) };
        self.repository.guarded().unwrap().commit(commit).await
    }

    /// Where the instances and the checkpoint stand.
    async fn stands(&self) -> (Vec<Option<i64>>, i64) {
        let found = load(&*self.repository, &[1, 2]).await;
        let found = found.into_iter().map(|stored| stored.map(|stored| stored.position.as_i64()));
        let checkpoint = self.views.checkpoints().load("view").await.unwrap().remove(0);
        (found.collect(), checkpoint.position.as_i64())
    }

    async fn commit_while(
        &self,
        database: &TestDatabase,
        commands: &[&str],
        times: u32,
        how: Document,
    ) -> Committed {
        let point = database.fail(commands, times, how).await;
        let committed = self.commit().await;
        point.off().await;
        committed
    }

    async fn is_as_before(&self) {
        assert_eq!(self.stands().await, (vec![Some(5), None], 5));
    }

    async fn is_written(&self) {
        assert_eq!(self.stands().await, (vec![Some(8), Some(8)], 8));
    }
}

fn kinds(committed: &Committed) -> Vec<ErrorKind> {
    let kind = |outcome: &ChangeOutcome| match outcome {
        ChangeOutcome::Unknown(error) | ChangeOutcome::Rejected(error) => Some(error.kind()),
        _ => None,
    };
    committed.outcomes.iter().filter_map(kind).collect()
}

// spec: B33
#[tokio::test]
async fn a_connection_that_breaks_in_a_transaction_leaves_nothing_of_it() {
    for command in ["update", "find", "insert"] {
        with_database(move |database| async move {
            let owned = Owned::open(&database).await;
            // The driver reads once more by itself, but not in a transaction.
            let committed = owned.commit_while(&database, &[command], 1, doc! { "closeConnection": true }).await;
            assert_eq!(outcome_names(&committed.outcomes), ["unknown"; 2], "{command}");
            assert_eq!(kinds(&committed), [ErrorKind::Transient; 2]);
            assert!(matches!(committed.checkpoint, CheckpointOutcome::NotJoined));
            owned.is_as_before().await;
            owned.commit().await;
            owned.is_written().await;
        })
        .await;
    }
}

// spec: B33
#[tokio::test]
async fn a_step_down_in_a_transaction_leaves_nothing_of_it() {
    for code in [91, 189, 10_107, 11_600] {
        with_database(move |database| async move {
            let owned = Owned::open(&database).await;
            let how = doc! { "errorCode": code, "errorLabels": ["TransientTransactionError"] };
            let committed = owned.commit_while(&database, &["insert"], 1, how).await;
            assert_eq!(kinds(&committed), [ErrorKind::Transient; 2], "{code}");
            owned.is_as_before().await;
            owned.commit().await;
            owned.is_written().await;
        })
        .await;
    }
}

// spec: B33
#[tokio::test]
async fn a_missing_permission_in_a_transaction_is_permanent() {
    with_database(|database| async move {
        let owned = Owned::open(&database).await;
        let committed = owned.commit_while(&database, &["insert"], 1, doc! { "errorCode": 13 }).await;
        assert_eq!(outcome_names(&committed.outcomes), ["rejected"; 2]);
        assert_eq!(kinds(&committed), [ErrorKind::Permanent; 2]);
        owned.is_as_before().await;
    })
    .await;
}

// spec: B33
#[tokio::test]
async fn a_commit_whose_answer_is_lost_is_asked_for_again() {
    let lost = [
        doc! { "closeConnection": true },
        doc! { "errorCode": 91 },
        doc! { "errorCode": 64, "errorLabels": ["UnknownTransactionCommitResult"] },
        doc! { "writeConcernError": { "code": 64, "errmsg": "not confirmed" } },
    ];
    for how in lost {
        with_database(move |database| async move {
            let owned = Owned::open(&database).await;
            let committed = owned.commit_while(&database, &["commitTransaction"], 3, how.clone()).await;
            assert_eq!(outcome_names(&committed.outcomes), ["written"; 2], "{how} {committed:?}");
            assert!(matches!(committed.checkpoint, CheckpointOutcome::Stored));
            owned.is_written().await;
        })
        .await;
    }
}

// spec: B33
#[tokio::test]
async fn a_commit_that_stays_without_an_answer_is_unknown() {
    for how in [doc! { "closeConnection": true }, doc! { "writeConcernError": { "code": 64, "errmsg": "slow" } }] {
        with_database(move |database| async move {
            let owned = Owned::open(&database).await;
            let committed = owned.commit_while(&database, &["commitTransaction"], 100, how.clone()).await;
            assert_eq!(outcome_names(&committed.outcomes), ["unknown"; 2], "{how}");
            assert_eq!(kinds(&committed), [ErrorKind::Transient; 2]);
            assert!(matches!(committed.checkpoint, CheckpointOutcome::Unknown(_)));
            // All or nothing, and done again it is all.
            let stands = owned.stands().await;
            assert!([(vec![Some(5), None], 5), (vec![Some(8), Some(8)], 8)].contains(&stands), "{stands:?}");
            let again = owned.commit().await;
            let names = outcome_names(&again.outcomes);
            assert!(names == ["written"; 2] || names == ["lost"; 2], "{names:?}");
            owned.is_written().await;
        })
        .await;
    }
}

// spec: B18
#[tokio::test]
async fn a_delete_whose_commit_got_no_answer_is_seen_when_it_is_loaded_again() {
    with_database(|database| async move {
        let owned = Owned::open(&database).await;
        // It is applied, and nobody says so. What deletes may depend on the state: folded again onto nothing, the
        // instance would be created anew.
        let how = doc! { "writeConcernError": { "code": 64, "errmsg": "slow" } };
        let point = database.fail(&["commitTransaction"], 100, how).await;
        let changes = [change(&1, None, 8, Expected::At(Position::from(5)))];
        let at_8 = checkpoint("view", 1, 0, 8);
        let commit = Commit { changes: &changes, fence: Some(&owned.fence), checkpoint: Some(&at_8) };
        let committed = owned.repository.guarded().unwrap().commit(commit).await;
        point.off().await;
        assert_eq!(outcome_names(&committed.outcomes), ["unknown"]);
        let found = load(&*owned.repository, &[1]).await.remove(0).unwrap();
        assert_eq!((found.state, found.position), (None, Position::from(8)));
        assert_eq!(owned.stands().await.1, 8);
    })
    .await;
}

// spec: B33
#[tokio::test]
async fn a_transaction_that_the_server_gave_up_is_begun_again() {
    for code in [112, 251] {
        with_database(move |database| async move {
            let owned = Owned::open(&database).await;
            let how = doc! { "errorCode": code, "errorLabels": ["TransientTransactionError"] };
            let committed = owned.commit_while(&database, &["commitTransaction"], 1, how.clone()).await;
            assert_eq!(outcome_names(&committed.outcomes), ["written"; 2], "{code}");
            owned.is_written().await;
        })
        .await;
    }
}

// spec: B11
#[tokio::test]
async fn a_transaction_waits_out_another_that_is_in_the_way() {
    with_database(|database| async move {
        let owned = Owned::open(&database).await;
        let plain = database.plain().await;
        let documents = plain.collection::<Document>("view.v1");
        let mut other = plain.client().start_session().await.unwrap();
        other.start_transaction().await.unwrap();
        let update = documents.update_one(doc! { "_id": 1_i64 }, doc! { "$set": { "n": 77_i64 } });
        update.session(&mut other).await.unwrap();

        // It lasts longer than the tries.
        let committed = owned.commit().await;
        assert_eq!(kinds(&committed), [ErrorKind::Transient; 2]);
        let ChangeOutcome::Unknown(error) = &committed.outcomes[0] else { panic!("{committed:?}") };
        assert_eq!(error.get_ref().downcast_ref::<MongoError>().unwrap().code(), Some(112));
        owned.is_as_before().await;

        other.abort_transaction().await.unwrap();
        owned.commit().await;
        owned.is_written().await;
    })
    .await;
}

// spec: B11
#[tokio::test]
async fn a_takeover_ends_the_transaction_that_a_dead_owner_left_open() {
    with_database(|database| async move {
        let owned = Owned::open(&database).await;
        // As a process that is killed before its transaction ends: the session that the fence names has one open.
        let plain = database.plain().await;
        let fences = plain.collection::<Document>("projection.fences");
        let mut dead = plain.client().start_session().await.unwrap();
        fences.update_one(doc! {}, doc! { "$set": { "session": dead.id().clone() } }).await.unwrap();
        dead.start_transaction().await.unwrap();
        let commits = doc! { "$inc": { "commits": 1_i64 } };
        fences.update_one(doc! {}, commits).session(&mut dead).await.unwrap();

        let standby = MongoViews::new(plain);
        let asked = std::time::Instant::now();
        let lease = standby.leases().unwrap();
        owned.views.leases().unwrap().release("view", &owned.fence).await.unwrap();
        let fence = tokio::time::timeout(Duration::from_secs(20), leases::wait_for(&*lease, "standby")).await;
        assert_eq!(fence.expect("it does not wait for the server to give up").epoch, 2);
        assert!(asked.elapsed() < Duration::from_secs(20));
        owned.is_as_before().await;
    })
    .await;
}

// spec: B11
#[tokio::test]
async fn a_takeover_while_the_former_owner_writes_lets_all_of_it_through_or_nothing() {
    for pause in [0, 1, 2, 4, 8] {
        with_database(move |database| async move {
            let owned = Owned::open(&database).await;
            let other = MongoViews::new(database.plain().await);
            let take = async {
                tokio::time::sleep(Duration::from_millis(pause)).await;
                owned.views.leases().unwrap().release("view", &owned.fence).await.unwrap();
                leases::wait_for(&*other.leases().unwrap(), "other").await
            };
            let (committed, _) = tokio::join!(owned.commit(), take);
            match committed.checkpoint {
                CheckpointOutcome::Stored => owned.is_written().await,
                CheckpointOutcome::Fenced => owned.is_as_before().await,
                // Ended by the takeover in the middle.
                _ => assert_eq!(kinds(&committed), [ErrorKind::Transient; 2]),
            }
            let late = owned.commit().await;
            assert!(matches!(late.checkpoint, CheckpointOutcome::Fenced), "{late:?}");
        })
        .await;
    }
}

// spec: B11
#[tokio::test]
async fn nothing_of_a_former_owner_is_stored_once_another_holds_the_lease() {
    for (command, session_is_known) in [("insert", true), ("insert", false), ("commitTransaction", false)] {
        with_database(move |database| async move {
            let owned = Owned::open(&database).await;
            let plain = database.plain().await;
            if !session_is_known {
                // The transaction cannot be ended then, and is waited for.
                let fences = plain.collection::<Document>("projection.fences");
                fences.update_one(doc! {}, doc! { "$unset": { "session": 1 } }).await.unwrap();
            }
            let block = doc! { "blockConnection": true, "blockTimeMS": 700 };
            let point = database.fail(&[command], 1, block).await;
            database.commands.take();
            let other = MongoViews::new(plain);
            let take = async {
                // Its transaction is open, and the next command is held back.
                while !database.commands.take().iter().any(|sent| sent == command) {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                owned.views.leases().unwrap().release("view", &owned.fence).await.unwrap();
                leases::wait_for(&*other.leases().unwrap(), "other").await;
                owned.stands().await
            };
            let (committed, when_held) = tokio::join!(owned.commit(), take);
            point.off().await;
            assert_eq!(owned.stands().await, when_held, "{command} {committed:?}");
            let late = owned.commit().await;
            assert!(matches!(late.checkpoint, CheckpointOutcome::Fenced), "{late:?}");
            assert_eq!(owned.stands().await, when_held);
        })
        .await;
    }
}

//! Without transactions, the server refuses what a former owner inserts late.

use acceptance::{
    conformance::{Tally, View, change, leases, outcome_names},
    server::{TestDatabase, with_database},
};
use bson::{Document, doc};
use mongodb::Database;
use projection_core::{
    Position, ViewStore,
    store::{
        Change, ChangeOutcome, CheckpointOutcome, Commit, Committed, Expected, Fence, SharedRepository, SourceName,
    },
};
use projection_mongo::{MongoViews, MongoViewsOptions, Transactions};

type Repository = SharedRepository<View<Tally, i64>>;

fn at(position: u32) -> Expected {
    Expected::At(Position::from(position))
}

async fn commit(repository: &Repository, fence: &Fence, changes: &[Change<'_, Tally, i64>]) -> Committed {
    repository.guarded().unwrap().commit(Commit { changes, fence: Some(fence), checkpoint: None }).await
}

async fn count(database: &TestDatabase, collection: &str) -> u64 {
    database.plain().await.collection::<Document>(collection).count_documents(doc! {}).await.unwrap()
}

/// Without transactions, also where the server has them.
fn without_transactions(database: &Database) -> MongoViews {
    let options = MongoViewsOptions::new().with_transactions(Transactions::Never);
    MongoViews::with_options(database.clone(), options)
}

/// An owner is about to insert, sleeps past its lease, and inserts when another has created and deleted the instance, and
/// has dropped the tombstone. What became of its insert, and how many documents there are.
async fn late_insert(database: &TestDatabase, first: MongoViews) -> (Committed, u64) {
    let former = first.open::<View<Tally, i64>>(&SourceName::default()).await.unwrap();
    let fence = leases::wait_for(&*first.leases().unwrap(), "former").await;
    let one = Tally::of(1);
    commit(&former, &fence, &[change(&1, Some(&one), 1, Expected::Absent)]).await;

    let sleeps = database.fail(&["insert"], 1, doc! { "blockConnection": true, "blockTimeMS": 4000 }).await;
    let late = tokio::spawn(async move {
        commit(&former, &fence, &[change(&2, Some(&Tally::of(2)), 2, Expected::Absent)]).await
    });
    sleeps.was_met().await;
    let second = without_transactions(&database.plain().await);
    let theirs = second.open::<View<Tally, i64>>(&SourceName::default()).await.unwrap();
    let (_, fence) = leases::take_over(&*second.leases().unwrap(), "former", "later").await;
    commit(&theirs, &fence, &[change(&2, Some(&one), 2, Expected::Absent)]).await;
    commit(&theirs, &fence, &[change(&2, None, 3, at(2))]).await;
    theirs.guarded().unwrap().checkpoint_passed(Position::from(3)).await.unwrap();
    assert_eq!(count(database, "view.v1.tombstones").await, 0);
    assert!(!late.is_finished(), "the former owner should be asleep still");
    let late = late.await.unwrap();
    (late, count(database, "view.v1").await)
}

// spec: B18
#[tokio::test]
async fn without_transactions_what_a_former_owner_inserts_late_is_refused_by_the_server() {
    with_database(|database| async move {
        let (late, documents) = late_insert(&database, without_transactions(&database.database)).await;
        assert_eq!(outcome_names(&late.outcomes), ["lost"]);
        assert!(matches!(late.checkpoint, CheckpointOutcome::Fenced));
        assert_eq!(documents, 1);
    })
    .await;
}

// spec: B18
#[tokio::test]
async fn without_the_check_of_epochs_a_late_insert_brings_a_deleted_instance_back() {
    with_database(|database| async move {
        let options = MongoViewsOptions::new().with_transactions(Transactions::Never).without_epoch_check();
        let first = MongoViews::with_options(database.database.clone(), options);
        let (late, documents) = late_insert(&database, first).await;
        assert_eq!(outcome_names(&late.outcomes), ["written"]);
        assert_eq!(documents, 2);
    })
    .await;
}

// spec: B18
#[tokio::test]
async fn a_validator_of_the_users_stays_beside_the_check_of_epochs() {
    with_database(|database| async move {
        let theirs = doc! { "n": { "$lt": 100 } };
        let plain = database.plain().await;
        plain.run_command(doc! { "create": "view.v1", "validator": &theirs }).await.unwrap();
        let views = without_transactions(&database.database);
        let repository = views.open::<View<Tally, i64>>(&SourceName::default()).await.unwrap();
        let first = leases::wait_for(&*views.leases().unwrap(), "owner").await;
        let (good, bad) = (Tally::of(1), Tally { n: 100, ..Tally::of(1) });
        let changes = [change(&1, Some(&good), 1, Expected::Absent), change(&2, Some(&bad), 1, Expected::Absent)];
        let committed = commit(&repository, &first, &changes).await;
        // Refused by the user's, so it is no lost race.
        assert_eq!(outcome_names(&committed.outcomes), ["written", "rejected"]);

        leases::take_over(&*views.leases().unwrap(), "owner", "other").await;
        let again = leases::take_over(&*views.leases().unwrap(), "other", "owner").await.1;
        let committed = commit(&repository, &again, &changes[1..]).await;
        assert_eq!(outcome_names(&committed.outcomes), ["rejected"]);
        let found =
            plain.run_command(doc! { "listCollections": 1, "filter": { "name": "view.v1" } }).await.unwrap();
        let options =
            found.get_document("cursor").unwrap().get_array("firstBatch").unwrap()[0].as_document().unwrap();
        let validator = options.get_document("options").unwrap().get_document("validator").unwrap();
        let ours = doc! { "$nor": [{ "_projection.epoch": { "$lt": again.epoch } }] };
        assert_eq!(validator, &doc! { "$and": [theirs, ours] });
    })
    .await;
}

#[tokio::test]
async fn a_validator_of_the_users_that_only_warns_is_refused_with_advice() {
    with_database(|database| async move {
        let plain = database.plain().await;
        let create = doc! { "create": "view.v1", "validator": { "n": 1 }, "validationAction": "warn" };
        plain.run_command(create).await.unwrap();
        let views = without_transactions(&database.database);
        let repository = views.open::<View<Tally, i64>>(&SourceName::default()).await.unwrap();
        let fence = leases::wait_for(&*views.leases().unwrap(), "owner").await;
        let one = Tally::of(1);
        let committed = commit(&repository, &fence, &[change(&1, Some(&one), 1, Expected::Absent)]).await;
        let ChangeOutcome::Rejected(error) = &committed.outcomes[0] else { panic!("{committed:?}") };
        assert!(error.to_string().contains("set its `validationAction` to `error`"), "{error}");
    })
    .await;
}

// spec: B18
#[tokio::test]
async fn what_a_former_owner_wrote_may_still_be_changed_by_hand() {
    with_database(|database| async move {
        let views = without_transactions(&database.database);
        let repository = views.open::<View<Tally, i64>>(&SourceName::default()).await.unwrap();
        let leases = views.leases().unwrap();
        let first = leases::wait_for(&*leases, "owner").await;
        let one = Tally::of(1);
        commit(&repository, &first, &[change(&1, Some(&one), 1, Expected::Absent)]).await;
        let second = leases::take_over(&*leases, "owner", "other").await.1;
        commit(&repository, &second, &[change(&2, Some(&one), 2, Expected::Absent)]).await;
        let documents = database.plain().await.collection::<Document>("view.v1");
        let by_hand = documents.update_many(doc! {}, doc! { "$set": { "note": "seen" } }).await.unwrap();
        assert_eq!(by_hand.modified_count, 2);
        documents.insert_one(doc! { "_id": "theirs" }).await.unwrap();
        // And the new owner replaces it, as before.
        let committed = commit(&repository, &second, &[change(&1, Some(&Tally::of(2)), 3, at(1))]).await;
        assert_eq!(outcome_names(&committed.outcomes), ["written"]);
    })
    .await;
}

//! Unique secondary indexes: a fault of the data, not a lost race (spec: P32).

use projection_core::{
    ErrorKind, Position, ViewStore,
    store::{ChangeOutcome, Expected, SharedRepository, SourceName},
};

use super::{Account, change, load, outcome_names, put, write};

async fn open(views: &impl ViewStore) -> SharedRepository<Account> {
    views.open::<Account>(&SourceName::default()).await.unwrap()
}

fn account(email: &str) -> Account {
    Account { email: email.to_owned(), city: "x".to_owned() }
}

fn at(position: u32) -> Expected {
    Expected::At(Position::from(position))
}

/// The refusal is of its own kind, names the index, and leaves the others alone.
pub async fn a_value_that_is_taken_is_refused_naming_the_index(views: &impl ViewStore) {
    let repository = open(views).await;
    let [a, b, c] = ["a", "b", "c"].map(str::to_owned);
    put(&*repository, &a, Some(&account("taken")), 1, Expected::Absent).await;
    let outcomes = write(
        &*repository,
        &[
            change(&b, Some(&account("taken")), 2, Expected::Absent),
            change(&c, Some(&account("free")), 2, Expected::Absent),
        ],
    )
    .await;
    assert_eq!(outcome_names(&outcomes), ["rejected", "written"]);
    let ChangeOutcome::Rejected(error) = &outcomes[0] else { unreachable!() };
    assert_eq!(error.kind(), ErrorKind::Unique);
    assert!(error.to_string().contains("email_1"), "{error}");

    let outcomes = write(&*repository, &[change(&c, Some(&account("taken")), 3, at(2))]).await;
    assert_eq!(outcome_names(&outcomes), ["rejected"]);
    let found = load(&*repository, &[a, b, c]).await;
    let emails: Vec<_> = found.into_iter().map(|stored| stored.map(|stored| stored.state.unwrap().email)).collect();
    assert_eq!(emails, [Some("taken".to_owned()), None, Some("free".to_owned())]);
}

/// The plain repository says the same.
pub async fn saving_a_value_that_is_taken_is_refused(views: &impl ViewStore) {
    let repository = open(views).await;
    repository.save(&"a".to_owned(), &account("taken")).await.unwrap();
    let error = repository.save(&"b".to_owned(), &account("taken")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unique);
}

/// A value may move from one instance of a batch to another, in whichever order they stand.
pub async fn a_value_may_move_inside_a_batch(views: &impl ViewStore) {
    let repository = open(views).await;
    let [a, b, c, d] = ["a", "b", "c", "d"].map(str::to_owned);
    put(&*repository, &a, Some(&account("1")), 1, Expected::Absent).await;
    put(&*repository, &b, Some(&account("2")), 1, Expected::Absent).await;
    put(&*repository, &c, Some(&account("3")), 1, Expected::Absent).await;
    let outcomes = write(
        &*repository,
        &[
            change(&d, Some(&account("1")), 9, Expected::Absent),
            change(&a, Some(&account("2")), 9, at(1)),
            change(&b, Some(&account("3")), 9, at(1)),
            change(&c, None, 9, at(1)),
        ],
    )
    .await;
    assert_eq!(outcome_names(&outcomes), ["written"; 4]);
}

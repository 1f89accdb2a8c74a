//! Batches past the server's limits, and how many commands it takes.

use acceptance::{
    conformance::{Tally, View, change, load, outcome_names, put, write},
    on_each_kind_of_server,
    server::{Kind, with_database_on},
};
use bson::{Document, doc};
use projection_core::{
    ErrorKind, Position, ViewStore,
    store::{ChangeOutcome, Expected, SourceName},
};
use projection_mongo::MongoViews;

on_each_kind_of_server!(
    a_load_is_one_find_and_a_commit_is_one_command_of_each_kind,
    tombstones_are_only_asked_for_while_there_may_be_some,
    a_batch_of_more_than_ten_thousand_changes_is_written,
    a_hundred_thousand_ids_are_read,
    ids_and_states_of_more_than_48_mb_are_written_and_read,
    a_state_past_the_limit_is_refused_before_sending_and_takes_no_other_with_it,
    a_state_just_below_the_limit_is_stored,
    a_thousand_deletes_and_their_tombstones_come_and_go,
);

const AT_1: Expected = Expected::At(Position::START);

fn source() -> SourceName {
    SourceName::default()
}

// spec: P30, B31
async fn a_load_is_one_find_and_a_commit_is_one_command_of_each_kind(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<Tally, i64>>(&source()).await.unwrap();
        let ids: Vec<i64> = (0..300).collect();
        let state = Tally::of(1);
        let sent = || database.commands.take();
        sent();

        let inserts: Vec<_> = ids.iter().map(|id| change(id, Some(&state), 0, Expected::Absent)).collect();
        assert_eq!(outcome_names(&write(&*repository, &inserts).await), ["written"; 300]);
        assert_eq!(sent(), ["insert"]);

        assert_eq!(load(&*repository, &ids).await.iter().flatten().count(), 300);
        assert_eq!(sent(), ["find"]);
        assert_eq!(repository.find_all_by_id(&ids).await.unwrap().len(), 300);
        assert_eq!(sent(), ["find"]);

        let (new, old) = (1000, 0);
        let both = [change(&new, Some(&state), 5, Expected::Absent), change(&old, Some(&state), 5, AT_1)];
        assert_eq!(outcome_names(&write(&*repository, &both).await), ["written"; 2]);
        assert_eq!(sent(), ["update", "insert"]);

        let states: Vec<_> = ids.iter().map(|id| (id, &state)).collect();
        repository.save_all(&states).await.unwrap();
        assert_eq!(sent(), ["update"]);

        repository.find_all_by_id(&[]).await.unwrap();
        repository.save_all(&[]).await.unwrap();
        write(&*repository, &[]).await;
        load(&*repository, &[]).await;
        repository.guarded().unwrap().checkpoint_passed(Position::from(9)).await.unwrap();
        assert_eq!(sent(), [""; 0]);
    })
    .await;
}

// spec: B18
async fn tombstones_are_only_asked_for_while_there_may_be_some(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<Tally, i64>>(&source()).await.unwrap();
        let state = Tally::of(1);
        put(&*repository, &1, Some(&state), 0, Expected::Absent).await;
        let sent = || database.commands.take();
        sent();

        put(&*repository, &1, None, 5, AT_1).await;
        assert_eq!(sent(), ["find", "update", "delete"]);
        load(&*repository, &[1, 2]).await;
        assert_eq!(sent(), ["find", "find"]);
        repository.guarded().unwrap().checkpoint_passed(Position::from(5)).await.unwrap();
        sent();
        load(&*repository, &[1, 2]).await;
        assert_eq!(sent(), ["find"]);
    })
    .await;
}

// spec: B30
async fn a_batch_of_more_than_ten_thousand_changes_is_written(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<i64, i64>>(&source()).await.unwrap();
        let ids: Vec<i64> = (0..25_000).collect();
        let inserts: Vec<_> = ids.iter().map(|id| change(id, Some(id), 0, Expected::Absent)).collect();
        database.commands.take();
        let outcomes = write(&*repository, &inserts).await;
        assert!(outcomes.iter().all(|outcome| matches!(outcome, ChangeOutcome::Written { .. })));
        assert_eq!(database.commands.take(), ["insert"; 3]);

        // Every second one is expected elsewhere.
        let updates: Vec<_> = ids
            .iter()
            .map(|id| {
                let expected = if id % 2 == 0 { AT_1 } else { Expected::At(Position::from(7)) };
                change(id, Some(id), 9, expected)
            })
            .collect();
        let outcomes = write(&*repository, &updates).await;
        for (id, outcome) in ids.iter().zip(&outcomes) {
            match outcome {
                ChangeOutcome::Written { .. } => assert_eq!(id % 2, 0),
                ChangeOutcome::Lost => assert_eq!(id % 2, 1),
                other => panic!("{other:?}"),
            }
        }
        let plain = database.plain().await.collection::<Document>("view.v1");
        let written = plain.count_documents(doc! { "_projection.position.events": 9 }).await.unwrap();
        assert_eq!(written, 12_500);
    })
    .await;
}

// spec: B30
async fn a_hundred_thousand_ids_are_read(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<i64, i64>>(&source()).await.unwrap();
        let ids: Vec<i64> = (0..120_000).collect();
        put(&*repository, &119_999, Some(&1), 1, Expected::Absent).await;
        database.commands.take();
        let found = repository.guarded().unwrap().load(&ids).await.unwrap();
        assert_eq!(found.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [119_999]);
        assert_eq!(database.commands.take(), ["find"; 2]);
    })
    .await;
}

// spec: B30
async fn ids_and_states_of_more_than_48_mb_are_written_and_read(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<String, String>>(&source()).await.unwrap();
        let state = "s".repeat(2_000_000);
        let ids: Vec<String> = (0..30).map(|n| format!("{n}-{}", "i".repeat(500_000))).collect();
        let inserts: Vec<_> = ids.iter().map(|id| change(id, Some(&state), 0, Expected::Absent)).collect();
        assert_eq!(outcome_names(&write(&*repository, &inserts).await), ["written"; 30]);
        let updates: Vec<_> = ids.iter().map(|id| change(id, Some(&state), 3, AT_1)).collect();
        assert_eq!(outcome_names(&write(&*repository, &updates).await), ["written"; 30]);
        assert_eq!(repository.find_all_by_id(&ids).await.unwrap().len(), 30);
        let states: Vec<_> = ids.iter().map(|id| (id, &state)).collect();
        repository.save_all(&states).await.unwrap();
    })
    .await;
}

// spec: B15
async fn a_state_past_the_limit_is_refused_before_sending_and_takes_no_other_with_it(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<String, String>>(&source()).await.unwrap();
        let [a, b, c] = ["a", "b", "c"].map(str::to_owned);
        let (small, large) = ("x".to_owned(), "x".repeat(17_000_000));
        let batch = |position, expected| {
            [
                change(&a, Some(&small), position, expected),
                change(&b, Some(&large), position, expected),
                change(&c, Some(&small), position, expected),
            ]
        };
        let outcomes = write(&*repository, &batch(0, Expected::Absent)).await;
        assert_eq!(outcome_names(&outcomes), ["written", "rejected", "written"]);
        put(&*repository, &b, Some(&small), 0, Expected::Absent).await;
        let outcomes = write(&*repository, &batch(5, AT_1)).await;
        assert_eq!(outcome_names(&outcomes), ["written", "rejected", "written"]);
        let ChangeOutcome::Rejected(error) = &outcomes[1] else { unreachable!() };
        assert_eq!(error.kind(), ErrorKind::Poison);
        let message = error.to_string();
        assert!(message.starts_with("instance \"b\" has 17000"), "{message}");
        assert!(message.contains("16777216 are allowed"), "{message}");
        assert_eq!(repository.save(&b, &large).await.unwrap_err().kind(), ErrorKind::Poison);
    })
    .await;
}

// spec: B15
async fn a_state_just_below_the_limit_is_stored(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<String, String>>(&source()).await.unwrap();
        let a = "a".to_owned();
        let limit = 16 * 1024 * 1024;
        put(&*repository, &a, Some(&String::new()), 0, Expected::Absent).await;
        let around = load(&*repository, std::slice::from_ref(&a)).await[0].as_ref().unwrap().bytes;
        let largest = "x".repeat(limit - around);
        put(&*repository, &a, Some(&largest), 5, AT_1).await;
        assert_eq!(load(&*repository, std::slice::from_ref(&a)).await[0].as_ref().unwrap().bytes, limit);
        let b = "b".to_owned();
        put(&*repository, &b, Some(&largest), 0, Expected::Absent).await;
        repository.save(&b, &largest).await.unwrap();
        let one_more = largest + "x";
        let outcomes =
            write(&*repository, &[change(&a, Some(&one_more), 6, Expected::At(Position::from(5)))]).await;
        assert_eq!(outcome_names(&outcomes), ["rejected"]);
    })
    .await;
}

async fn a_thousand_deletes_and_their_tombstones_come_and_go(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<i64, i64>>(&source()).await.unwrap();
        let ids: Vec<i64> = (0..12_000).collect();
        let inserts: Vec<_> = ids.iter().map(|id| change(id, Some(id), 0, Expected::Absent)).collect();
        write(&*repository, &inserts).await;
        let deletes: Vec<_> = ids.iter().map(|id| change(id, None, 5, AT_1)).collect();
        let outcomes = write(&*repository, &deletes).await;
        assert!(outcomes.iter().all(|outcome| matches!(outcome, ChangeOutcome::Written { .. })));
        let plain = database.plain().await;
        let count = async |name: &str| plain.collection::<Document>(name).count_documents(doc! {}).await.unwrap();
        assert_eq!((count("view.v1").await, count("view.v1.tombstones").await), (0, 12_000));
        repository.guarded().unwrap().checkpoint_passed(Position::from(5)).await.unwrap();
        assert_eq!(count("view.v1.tombstones").await, 0);
    })
    .await;
}

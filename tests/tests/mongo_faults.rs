//! Faults have kinds (spec: B33): shown with the server's fail points.

use acceptance::{
    conformance::{
        Tally, View, change,
        events::{Data, Sample},
        load, load_one, outcome_names, put, write,
    },
    on_each_kind_of_server,
    server::{Kind, TestDatabase, with_database_on},
};
use bson::{Document, doc};
use projection_core::{
    CheckpointStorage as _, ErrorKind, EventStore as _, Filter, Position, StoreError, ViewStore,
    store::{ChangeOutcome, Expected, SharedRepository, SourceName, Window},
};
use projection_mongo::{ImportedEvent, MongoCheckpoints, MongoError, MongoEvents, MongoEventsOptions, MongoViews};

on_each_kind_of_server!(
    after_a_broken_connection_the_outcome_of_its_chunk_is_unknown,
    a_write_that_a_majority_did_not_confirm_is_unknown_though_it_was_applied,
    a_step_down_is_transient,
    a_missing_permission_is_permanent_and_certain,
    a_read_is_tried_again_once_by_the_driver_and_is_transient_then,
    a_lost_cursor_is_an_error_and_never_a_short_answer,
    the_plain_repository_reports_what_a_majority_did_not_confirm,
    a_checkpoint_that_a_majority_did_not_confirm_is_not_taken_for_stored,
    a_page_of_events_keeps_no_cursor_that_could_be_lost,
    reading_events_while_the_server_is_away_is_transient,
);

type Repository = SharedRepository<View<Tally, String>>;

async fn open(database: &TestDatabase) -> Repository {
    let views = MongoViews::new(database.database.clone());
    views.open::<View<Tally, String>>(&SourceName::default()).await.unwrap()
}

fn at(position: u32) -> Expected {
    Expected::At(Position::from(position))
}

/// Inserts `new` and replaces `old`, while commands fail.
async fn commit_while(
    database: &TestDatabase,
    commands: &[&str],
    how: Document,
) -> (Repository, Vec<ChangeOutcome>) {
    let repository = open(database).await;
    let [old, new] = ["old", "new"].map(str::to_owned);
    put(&*repository, &old, Some(&Tally::of(1)), 5, Expected::Absent).await;
    let two = Tally::of(2);
    let point = database.fail(commands, 1, how).await;
    let batch = [change(&new, Some(&two), 8, Expected::Absent), change(&old, Some(&two), 8, at(5))];
    let outcomes = write(&*repository, &batch).await;
    point.off().await;
    (repository, outcomes)
}

fn error(outcome: &ChangeOutcome) -> &StoreError {
    match outcome {
        ChangeOutcome::Unknown(error) | ChangeOutcome::Rejected(error) => error,
        other => panic!("{other:?}"),
    }
}

async fn positions(repository: &Repository) -> [Option<i64>; 2] {
    let found = load(&**repository, &["new", "old"].map(str::to_owned)).await;
    let mut found = found.into_iter().map(|stored| stored.map(|stored| stored.position.as_i64()));
    std::array::from_fn(|_| found.next().unwrap())
}

async fn after_a_broken_connection_the_outcome_of_its_chunk_is_unknown(server: Kind) {
    with_database_on(server, |database| async move {
        let close = doc! { "closeConnection": true };
        let (repository, outcomes) = commit_while(&database, &["insert"], close.clone()).await;
        assert_eq!(outcome_names(&outcomes), ["unknown", "written"]);
        assert_eq!(error(&outcomes[0]).kind(), ErrorKind::Transient);
        assert_eq!(positions(&repository).await, [None, Some(8)]);
    })
    .await;
    with_database_on(server, |database| async move {
        let close = doc! { "closeConnection": true };
        let (repository, outcomes) = commit_while(&database, &["update"], close).await;
        assert_eq!(outcome_names(&outcomes), ["written", "unknown"]);
        assert_eq!(positions(&repository).await, [Some(8), Some(5)]);
    })
    .await;
}

async fn a_write_that_a_majority_did_not_confirm_is_unknown_though_it_was_applied(server: Kind) {
    for code in [64, 91] {
        with_database_on(server, move |database| async move {
            let how = doc! { "writeConcernError": { "code": code, "errmsg": "not confirmed" } };
            let (repository, outcomes) = commit_while(&database, &["insert"], how).await;
            assert_eq!(outcome_names(&outcomes), ["unknown", "written"]);
            let error = error(&outcomes[0]);
            assert_eq!(error.kind(), ErrorKind::Transient);
            assert!(error.to_string().contains(&format!("not confirmed (code {code})")), "{error}");
            // What is done again starts from what is stored.
            assert_eq!(positions(&repository).await, [Some(8), Some(8)]);
        })
        .await;
    }
}

async fn a_step_down_is_transient(server: Kind) {
    for code in [10_107, 189, 91, 11_600, 11_602, 13_435, 13_436] {
        with_database_on(server, move |database| async move {
            let how = doc! { "errorCode": code };
            let (_, outcomes) = commit_while(&database, &["update"], how).await;
            assert_eq!(outcome_names(&outcomes), ["written", "unknown"], "{code}");
            assert_eq!(error(&outcomes[1]).kind(), ErrorKind::Transient, "{code}");
        })
        .await;
    }
}

async fn a_missing_permission_is_permanent_and_certain(server: Kind) {
    with_database_on(server, |database| async move {
        let (repository, outcomes) = commit_while(&database, &["update"], doc! { "errorCode": 13 }).await;
        assert_eq!(outcome_names(&outcomes), ["written", "rejected"]);
        let error = error(&outcomes[1]);
        assert_eq!(error.kind(), ErrorKind::Permanent);
        assert!(error.to_string().starts_with("writing to `view.v1`: "), "{error}");
        assert_eq!(error.get_ref().downcast_ref::<MongoError>().unwrap().code(), Some(13));
        assert_eq!(positions(&repository).await, [Some(8), Some(5)]);
    })
    .await;
}

async fn a_read_is_tried_again_once_by_the_driver_and_is_transient_then(server: Kind) {
    with_database_on(server, |database| async move {
        let repository = open(&database).await;
        let a = "a".to_owned();
        put(&*repository, &a, Some(&Tally::of(1)), 5, Expected::Absent).await;
        let close = doc! { "closeConnection": true };
        let point = database.fail(&["find"], 1, close.clone()).await;
        assert!(load_one(&*repository, &a).await.is_some());
        point.off().await;
        let point = database.fail(&["find"], 9, close).await;
        let error = repository.guarded().unwrap().load(&[a]).await.unwrap_err();
        point.off().await;
        assert_eq!(error.kind(), ErrorKind::Transient);
        assert!(error.to_string().starts_with("reading `view.v1`: "), "{error}");
        let source = std::error::Error::source(&error).unwrap();
        assert!(source.is::<mongodb::error::Error>());
    })
    .await;
}

// spec: B33
async fn a_lost_cursor_is_an_error_and_never_a_short_answer(server: Kind) {
    with_database_on(server, |database| async move {
        let views = MongoViews::new(database.database.clone());
        let repository = views.open::<View<String, i64>>(&SourceName::default()).await.unwrap();
        let state = "x".repeat(3_000_000);
        let ids: Vec<i64> = (0..10).collect();
        let changes: Vec<_> = ids.iter().map(|id| change(id, Some(&state), 1, Expected::Absent)).collect();
        write(&*repository, &changes).await;
        database.commands.take();
        let point = database.fail(&["getMore"], 1, doc! { "errorCode": 43 }).await;
        let error = repository.guarded().unwrap().load(&ids).await.unwrap_err();
        point.off().await;
        assert_eq!(error.kind(), ErrorKind::Transient);
        assert_eq!(repository.guarded().unwrap().load(&ids).await.unwrap().len(), 10);
    })
    .await;
}

async fn the_plain_repository_reports_what_a_majority_did_not_confirm(server: Kind) {
    with_database_on(server, |database| async move {
        let repository = open(&database).await;
        let how = doc! { "writeConcernError": { "code": 64, "errmsg": "not confirmed" } };
        let point = database.fail(&["update"], 1, how).await;
        let error = repository.save(&"a".to_owned(), &Tally::of(1)).await.unwrap_err();
        point.off().await;
        assert_eq!(error.kind(), ErrorKind::Transient);
    })
    .await;
}

async fn a_checkpoint_that_a_majority_did_not_confirm_is_not_taken_for_stored(server: Kind) {
    with_database_on(server, |database| async move {
        let storage = MongoCheckpoints::new(database.database.clone());
        let checkpoint = acceptance::conformance::checkpoints::checkpoint("view", 1, 0, 9);
        let how = doc! { "writeConcernError": { "code": 91, "errmsg": "shutting down" } };
        let point = database.fail(&["update"], 1, how).await;
        let error = storage.save(std::slice::from_ref(&checkpoint)).await.unwrap_err();
        point.off().await;
        assert_eq!(error.kind(), ErrorKind::Transient);
        storage.save(std::slice::from_ref(&checkpoint)).await.unwrap();
        assert_eq!(storage.load("view").await.unwrap(), [checkpoint]);
    })
    .await;
}

async fn a_page_of_events_keeps_no_cursor_that_could_be_lost(server: Kind) {
    with_database_on(server, |database| async move {
        let options = MongoEventsOptions::new();
        let store = MongoEvents::open(&database.database, "events", options).await.unwrap();
        // 24 MB: more than the server puts into one batch.
        let large = "x".repeat(1_000_000);
        let events = (1..=24_u32).map(|n| {
            ImportedEvent::named("X", Position::from(n), "s", &doc! { "n": i64::from(n), "large": &large }).unwrap()
        });
        store.import(events).await.unwrap();
        let point = database.fail(&["getMore"], 9, doc! { "errorCode": 43 }).await;
        let up_to = Position::from(24);
        let mut after = Position::START;
        let mut pages = Vec::new();
        while after < up_to {
            let page = store.read(Window { after, up_to }, &Filter::all(), 1000).await.unwrap();
            let found: Vec<_> = events_of(&page);
            after = projection_core::store::EventPage::covers(&page);
            pages.push((found.len(), after.as_i64()));
        }
        point.off().await;
        assert_eq!(pages.iter().map(|(count, _)| count).sum::<usize>(), 24);
        assert_eq!(pages.len(), 2, "{pages:?}");
        assert_eq!(pages[0].0, usize::try_from(pages[0].1).unwrap());
    })
    .await;
}

fn events_of(page: &projection_mongo::MongoPage) -> Vec<Data> {
    use projection_core::store::{EventPage as _, RawEvent as _};
    page.events().map(|event| event.decode::<Data>().unwrap()).collect()
}

async fn reading_events_while_the_server_is_away_is_transient(server: Kind) {
    with_database_on(server, |database| async move {
        let options = MongoEventsOptions::new();
        let store = MongoEvents::open(&database.database, "events", options).await.unwrap();
        let event =
            ImportedEvent::named("X", Position::from(1), "s", &Data { n: 1 }).unwrap().with_id(Sample::id(1));
        store.import([event]).await.unwrap();
        let point = database.fail(&["find"], 9, doc! { "errorCode": 10_107 }).await;
        let window = Window { after: Position::START, up_to: Position::from(1) };
        let error = store.read(window, &Filter::all(), 10).await.unwrap_err();
        let mark = store.mark().await.unwrap_err();
        point.off().await;
        assert_eq!((error.kind(), mark.kind()), (ErrorKind::Transient, ErrorKind::Transient));
        assert_eq!(store.mark().await.unwrap(), Position::from(1));
    })
    .await;
}

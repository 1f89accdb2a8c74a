//! Users who may not do what a projection needs: told at the start where that can be told, and what to grant.

use std::{error::Error, time::Duration};

use acceptance::{
    notes::{Noted, Notes},
    progress::{reaches, reaches_phase},
    server::{OwnUsers, TestDatabase},
};
use projection_core::{
    ErrorKind, Phase, Position, ProjectionRuntime, ViewStore as _, runtime::ProjectionRuntimeBuilder,
    store::SourceName,
};
use projection_mongo::{
    ImportedEvent, MongoEvents, MongoEventsOptions, MongoViews, MongoViewsOptions, Transactions,
};

const LEASE: Duration = Duration::from_secs(2);

async fn append(test: &TestDatabase, n: u32) {
    let options = MongoEventsOptions::new().written_by_others();
    let events = MongoEvents::open(&test.database, "events", options).await.unwrap();
    let event = ImportedEvent::named("Noted", Position::from(n), "s", &Noted { n: n.into() }).unwrap();
    events.import([event]).await.unwrap();
}

async fn builder(test: &TestDatabase) -> ProjectionRuntimeBuilder<MongoEvents, MongoViews> {
    let options = MongoEventsOptions::new().written_by_others().without_making_indexes();
    let events = MongoEvents::open(&test.database, "events", options).await.unwrap();
    ProjectionRuntime::builder(events, MongoViews::new(test.database.clone()))
        .register::<Notes>()
        .poll_interval(Duration::from_millis(20))
        .lease(LEASE)
}

async fn entries(test: &TestDatabase) -> Vec<i64> {
    let views = MongoViews::new(test.database.clone());
    let repository = views.open::<Notes>(&SourceName::default()).await.unwrap();
    repository.find_by_id(&"s".into()).await.unwrap().unwrap_or_default().entries
}

fn chain(error: &dyn Error) -> String {
    let source = error.source().map(|source| format!(": {}", chain(source)));
    format!("{error}{}", source.unwrap_or_default())
}

// spec: B33
#[tokio::test]
async fn to_read_and_write_the_database_is_all_that_is_needed() {
    let users = OwnUsers::start().await;
    let app = users.user("app", &["readWrite"]).await;
    append(&app, 1).await;
    let first = builder(&app).await.owner("first").start().await.unwrap();
    first.caught_up().await.unwrap();
    let second = builder(&app).await.owner("second").start().await.unwrap();
    reaches_phase(&second, Phase::Standby).await;
    first.shutdown().await;
    second.caught_up().await.unwrap();
    append(&app, 2).await;
    reaches(&second, "2", |progress| progress.position == Position::from(2)).await;
    second.shutdown().await;
    assert_eq!(entries(&app).await, [1, 2]);
}

// spec: B33
#[tokio::test]
async fn a_user_who_may_only_read_is_refused_at_the_start_and_told_what_to_grant() {
    let users = OwnUsers::start().await;
    let (root, reader) = (users.root(), users.user("reader", &["read"]).await);
    let database = root.database.name();
    let refused = MongoEvents::open(&reader.database, "events", MongoEventsOptions::new()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Permanent);
    let message = refused.to_string();
    for part in ["may not `createIndexes` on `events`", database, "`readWrite`", "without_making_indexes"] {
        assert!(message.contains(part), "{message}");
    }

    // All that is there, somebody else has made.
    append(root, 1).await;
    let runtime = builder(root).await.start().await.unwrap();
    runtime.caught_up().await.unwrap();
    runtime.shutdown().await;
    let message = chain(&builder(&reader).await.start().await.unwrap_err());
    let expected = format!("grant the role `readWrite` on the database `{database}`");
    for part in ["the user `reader` of `admin` may not `insert`, `remove`, `update` on `notes.v1`", &expected] {
        assert!(message.contains(part), "{message}");
    }
}

// spec: B18, B33
#[tokio::test]
async fn without_transactions_a_user_needs_to_change_validators_or_does_without_the_check() {
    let users = OwnUsers::start().await;
    let app = users.user("app", &["readWrite"]).await;
    append(&app, 1).await;
    let never = || MongoViewsOptions::new().with_transactions(Transactions::Never);
    let open = async |options| {
        let views = MongoViews::with_options(app.database.clone(), options);
        views.open::<Notes>(&SourceName::default()).await.map(drop)
    };
    let refused = open(never()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Permanent);
    let message = refused.to_string();
    for part in ["the user `app` of `admin` may not `collMod` on `notes.v1`", "`dbAdmin`", "without_epoch_check"] {
        assert!(message.contains(part), "{message}");
    }
    open(never().without_epoch_check()).await.unwrap();
    users.grant("app", &["readWrite", "dbAdmin"]).await;
    open(never()).await.unwrap();
}

// spec: B33
#[tokio::test]
async fn a_permission_that_is_taken_away_stops_the_projection_until_it_is_resumed() {
    let users = OwnUsers::start().await;
    let app = users.user("app", &["readWrite"]).await;
    append(&app, 1).await;
    let runtime = builder(&app).await.start().await.unwrap();
    runtime.caught_up().await.unwrap();

    users.grant("app", &["read"]).await;
    append(users.root(), 2).await;
    reaches_phase(&runtime, Phase::Failed).await;
    let failure = runtime.list().remove(0).failure.expect("it has failed");
    let message = chain(&failure);
    for part in ["notes", "may not `", "` on `projection.", "grant a role that may, such as `readWrite`"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(entries(users.root()).await, [1]);

    users.grant("app", &["readWrite"]).await;
    runtime.resume("notes").unwrap();
    reaches(&runtime, "2", |progress| progress.position == Position::from(2)).await;
    runtime.shutdown().await;
    assert_eq!(entries(users.root()).await, [1, 2]);
}

// spec: B33, B41
#[tokio::test]
async fn a_lease_that_may_not_be_renewed_fails_the_projection_instead_of_being_asked_for_for_ever() {
    let users = OwnUsers::start().await;
    let app = users.user("app", &["readWrite"]).await;
    append(&app, 1).await;
    let runtime = builder(&app).await.start().await.unwrap();
    runtime.caught_up().await.unwrap();

    // Nothing happens that the projection would have to write.
    users.grant("app", &["read"]).await;
    reaches_phase(&runtime, Phase::Failed).await;
    let message = chain(&runtime.list().remove(0).failure.expect("it has failed"));
    for part in ["its lease cannot be asked for", "may not `findAndModify` on `projection.leases`", "`readWrite`"] {
        assert!(message.contains(part), "{message}");
    }

    users.grant("app", &["readWrite"]).await;
    append(users.root(), 2).await;
    runtime.resume("notes").unwrap();
    reaches(&runtime, "2", |progress| progress.position == Position::from(2)).await;
    runtime.shutdown().await;
}

// spec: B33
#[tokio::test]
async fn who_is_not_let_in_is_told_what_to_check() {
    let users = OwnUsers::start().await;
    let app = users.user("app", &["readWrite"]).await;
    let wrong = app.by(&app.uri().replace(":secret@", ":wrong@")).await;
    let refused = MongoEvents::open(&wrong.database, "events", MongoEventsOptions::new()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Permanent);
    assert!(refused.to_string().contains("check user, password and `authSource`"), "{refused}");
    let nobody = app.by(&app.uri().replace("app:secret@", "").replace("authSource=admin&", "")).await;
    let refused = MongoEvents::open(&nobody.database, "events", MongoEventsOptions::new()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Permanent);
    assert!(refused.to_string().contains("connect as a user who has the role `readWrite`"), "{refused}");
}

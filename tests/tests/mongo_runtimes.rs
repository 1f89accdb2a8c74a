//! Several runtimes over one database: one owner, the others stand by, and the views are right.

use std::time::Duration;

use acceptance::{
    notes::{Notes, events, import, is_right},
    on_each_kind_of_server,
    progress::{reaches, reaches_phase},
    server::{Kind, with_database_on},
};
use bson::doc;
use mongodb::Database;
use projection_core::{
    Phase, Position, ProjectionRuntime, ViewStore as _,
    store::{Fence, LeaseAnswer, LeaseRequest, Ownership},
};
use projection_mongo::MongoViews;

on_each_kind_of_server!(
    one_process_owns_a_view_and_another_takes_over_when_it_shuts_down,
    a_former_owner_that_wakes_up_writes_nothing_and_stands_by,
    while_owners_come_and_go_each_event_is_applied_once,
);

/// Runs out soon, so that owners change.
const SHORT: Duration = Duration::from_millis(500);
/// Longer than a busy machine keeps a task waiting, where a lease must not run out.
const LONG: Duration = Duration::from_secs(6);
const LIMIT: Duration = Duration::from_secs(60);

async fn start(database: &Database, name: &str, lease: Duration) -> ProjectionRuntime {
    ProjectionRuntime::builder(events(database).await, MongoViews::new(database.clone()))
        .register::<Notes>()
        .poll_interval(Duration::from_millis(5))
        .lease(lease)
        .owner(name)
        .start()
        .await
        .unwrap()
}

async fn one_process_owns_a_view_and_another_takes_over_when_it_shuts_down(server: Kind) {
    with_database_on(server, |test| async move {
        let database = &test.database;
        import(database, 1..=200).await;
        let first = start(database, "first", LONG).await;
        reaches_phase(&first, Phase::Live).await;
        let second = start(&test.plain().await, "second", LONG).await;
        reaches_phase(&second, Phase::Standby).await;
        let owners = second.owners().await.unwrap();
        assert_eq!(owners.len(), 1);
        assert!(owners[0].owner.starts_with("first-"), "{owners:?}");

        import(database, 201..=300).await;
        reaches(&first, "300", |progress| progress.position == Position::from(300)).await;
        first.shutdown().await;
        reaches_phase(&second, Phase::Live).await;
        import(database, 301..=400).await;
        reaches(&second, "400", |progress| progress.position == Position::from(400)).await;
        assert_eq!(second.owners().await.unwrap()[0].epoch, 2);
        second.shutdown().await;
        is_right(&test, 400).await;
    })
    .await;
}

async fn a_former_owner_that_wakes_up_writes_nothing_and_stands_by(server: Kind) {
    with_database_on(server, |test| async move {
        let database = &test.database;
        import(database, 1..=50).await;
        let first = start(database, "first", SHORT).await;
        reaches_phase(&first, Phase::Live).await;
        // As if it had slept past its lease, and another had taken over meanwhile.
        let leases = MongoViews::new(test.plain().await).leases().unwrap();
        let ttl = Duration::from_secs(600);
        let request = LeaseRequest { projection: "notes".to_owned(), version: 1, owner: "second".to_owned(), ttl };
        let fence = loop {
            match leases.acquire(&request).await.unwrap() {
                LeaseAnswer::Held(fence) => break fence,
                LeaseAnswer::Taken(Ownership { owner, epoch, .. }) => {
                    leases.release("notes", &Fence { owner, epoch, version: 1 }).await.unwrap();
                }
            }
        };
        import(database, 51..=150).await;
        reaches_phase(&first, Phase::Standby).await;
        is_right(&test, 50).await;

        leases.release("notes", &fence).await.unwrap();
        reaches(&first, "150", |progress| progress.position == Position::from(150)).await;
        first.shutdown().await;
        is_right(&test, 150).await;
    })
    .await;
}

/// The owner changes all the time while events arrive.
async fn while_owners_come_and_go_each_event_is_applied_once(server: Kind) {
    with_database_on(server, |test| async move {
        let database = &test.database;
        let plain = test.plain().await;
        let runtimes =
            [start(database, "a", SHORT).await, start(&plain, "b", SHORT).await, start(&plain, "c", SHORT).await];
        let leases = MongoViews::new(plain.clone()).leases().unwrap();
        let mut last = 0;
        for _ in 0..12 {
            import(database, last + 1..=last + 90).await;
            last += 90;
            if let Some(owner) = leases.owners().await.unwrap().pop() {
                let fence = Fence { owner: owner.owner, epoch: owner.epoch, version: 1 };
                leases.release("notes", &fence).await.unwrap();
            }
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
        let done = doc! { "position": i64::from(last) };
        let checkpoints = plain.collection::<bson::Document>("projection.checkpoints");
        let since = std::time::Instant::now();
        while checkpoints.find_one(done.clone()).await.unwrap().is_none() {
            assert!(
                since.elapsed() < LIMIT,
                "{:?}",
                runtimes.iter().map(ProjectionRuntime::list).collect::<Vec<_>>()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        for runtime in runtimes {
            runtime.shutdown().await;
        }
        is_right(&test, last).await;
        let epoch =
            plain.collection::<bson::Document>("projection.fences").find_one(doc! {}).await.unwrap().unwrap();
        assert!(epoch.get_i64("epoch").unwrap() > 3, "{epoch}");
    })
    .await;
}

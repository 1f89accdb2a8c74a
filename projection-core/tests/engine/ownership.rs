//! Several runtimes over one store: one owner, the others stand by.

use std::{sync::Arc, time::Duration};

use projection_core::{
    Phase, ProjectionRuntime, StoreError, ViewStore,
    memory::{InMemoryEventStore, InMemoryViews},
    runtime::Health,
    store::{LeaseAnswer, LeaseRequest},
    testing::RecordingRepository,
};

use crate::support::{List, added, guarded_feed, options, stored, turns};

/// Longer than a busy machine keeps a task waiting, where a lease must not run out.
const LEASE: Duration = Duration::from_secs(3);

/// Shorter than a batch of the slow projection takes.
const SHORT: Duration = Duration::from_secs(1);

async fn start(events: &InMemoryEventStore, views: &InMemoryViews, name: &str) -> ProjectionRuntime {
    ProjectionRuntime::builder(events.clone(), views.clone())
        .register::<List>()
        .poll_interval(Duration::from_millis(2))
        .lease(LEASE)
        .owner(name)
        .start()
        .await
        .unwrap()
}

async fn reaches(runtime: &ProjectionRuntime, phase: Phase) {
    let mut progress = runtime.progress().remove(0);
    let reached = progress.wait_for(|progress| progress.phase == phase);
    tokio::time::timeout(Duration::from_secs(20), reached).await.expect("it should get there").unwrap();
}

#[tokio::test]
async fn one_process_owns_a_projection_and_another_takes_over_when_it_ends() {
    let (events, views) = (turns(6), InMemoryViews::new());
    let first = start(&events, &views, "first").await;
    reaches(&first, Phase::Live).await;
    let second = start(&events, &views, "second").await;
    reaches(&second, Phase::Standby).await;
    assert_eq!(second.list()[0].health, Health::Standby);
    let owners = second.owners().await.unwrap();
    assert_eq!(owners.len(), 1);
    assert!(owners[0].owner.starts_with("first-"), "{owners:?}");

    first.shutdown().await;
    reaches(&second, Phase::Live).await;
    events.record("s", [added("a", 50)]).unwrap();
    let mut progress = second.progress().remove(0);
    progress.wait_for(|progress| progress.position.as_i64() == 7).await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [0, 3, 50]);
    assert_eq!(second.owners().await.unwrap()[0].epoch, 2);
}

#[tokio::test]
async fn a_paused_owner_lets_another_go_on() {
    let (events, views) = (turns(6), InMemoryViews::new());
    let first = start(&events, &views, "first").await;
    reaches(&first, Phase::Live).await;
    let second = start(&events, &views, "second").await;
    reaches(&second, Phase::Standby).await;
    first.pause("lists").await.unwrap();
    reaches(&second, Phase::Live).await;
    first.resume("lists").unwrap();
    reaches(&first, Phase::Standby).await;
    second.pause("lists").await.unwrap();
    reaches(&first, Phase::Live).await;
}

#[tokio::test]
async fn a_former_owner_writes_nothing_more_and_stands_by() {
    let (events, views) = (turns(6), InMemoryViews::new());
    let runtime = start(&events, &views, "first").await;
    reaches(&runtime, Phase::Live).await;
    // Another takes over as if this one had slept past its lease.
    let leases = views.leases().unwrap();
    let mine = runtime.owners().await.unwrap().remove(0);
    let fence = projection_core::store::Fence { owner: mine.owner, epoch: mine.epoch, version: 1 };
    leases.release("lists", &fence).await.unwrap();
    let request = LeaseRequest {
        projection: "lists".into(),
        version: 1,
        owner: "other".into(),
        ttl: Duration::from_secs(3600),
    };
    assert!(matches!(leases.acquire(&request).await.unwrap(), LeaseAnswer::Held(fence) if fence.epoch == 2));
    events.record("s", [added("a", 50)]).unwrap();
    reaches(&runtime, Phase::Standby).await;
    assert_eq!(stored(&views, "a").unwrap(), [0, 3], "the write of the old epoch was refused");
}

#[tokio::test]
async fn an_outage_ends_in_progress_again_and_was_visible_meanwhile() {
    let home = RecordingRepository::<List, String>::new();
    for _ in 0..3 {
        home.fail_next("save_all", StoreError::transient("connection reset"));
    }
    let runtime = ProjectionRuntime::builder(turns(6), InMemoryViews::new())
        .register_in::<List>(Arc::new(home.clone()), |options| options)
        .start()
        .await
        .unwrap();
    reaches(&runtime, Phase::Retrying).await;
    runtime.caught_up().await.unwrap();
    assert_eq!(home.peek(&"a".to_owned()).unwrap().entries, [0, 3]);
    assert_eq!(runtime.list()[0].health, Health::Ready);
}

#[tokio::test]
async fn a_checkpoint_of_a_former_owner_is_refused() {
    let (events, views) = (turns(3), InMemoryViews::new());
    guarded_feed(options(5), &events, &views).await.catch_up().await.unwrap();
    let request =
        LeaseRequest { projection: "lists".into(), version: 1, owner: "a".into(), ttl: Duration::from_secs(9) };
    let leases = views.leases().unwrap();
    let LeaseAnswer::Held(old) = leases.acquire(&request).await.unwrap() else { panic!("it is free") };
    leases.release("lists", &old).await.unwrap();
    leases.acquire(&LeaseRequest { owner: "b".into(), ..request }).await.unwrap();
    let mut checkpoint = views.checkpoints().load("lists").await.unwrap().remove(0);
    checkpoint.fence = Some(old);
    assert!(views.checkpoints().save(&[checkpoint]).await.is_err());
}

/// Counts, so slowly that its lease would run out.
struct Slow;

impl projection_core::Projection for Slow {
    type State = i64;
    type Id = projection_core::Singleton;
    const NAME: &'static str = "slow";

    fn handlers<H: projection_core::Handlers<Self>>(handlers: &mut H) {
        handlers.on::<crate::support::Added>(
            |_, _, keys| keys.push(projection_core::Singleton),
            |count, _, _, _| {
                std::thread::sleep(Duration::from_millis(6));
                *count.get_or_insert(0) += 1;
            },
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_that_never_waits_keeps_its_lease() {
    let runtime = ProjectionRuntime::builder(turns(600), InMemoryViews::new())
        .register_with::<Slow>(|options| options.batch_size(500))
        .lease(SHORT)
        .start()
        .await
        .unwrap();
    runtime.caught_up().await.unwrap();
    assert_eq!(runtime.owners().await.unwrap()[0].epoch, 1, "it was renewed meanwhile");
}

#[tokio::test]
async fn a_lease_that_is_lost_in_the_middle_is_taken_again_and_ends_in_a_view_that_is_caught_up() {
    let views = InMemoryViews::new();
    let runtime = ProjectionRuntime::builder(turns(600), views.clone())
        .register_with::<Slow>(|options| options.batch_size(300))
        .lease(SHORT)
        .start()
        .await
        .unwrap();
    runtime.caught_up().await.unwrap();
    let count = runtime.view::<Slow>().unwrap().find(&projection_core::Singleton).await.unwrap();
    assert_eq!(count, Some(600), "one thread does all, so that the lease runs out in each batch");
}

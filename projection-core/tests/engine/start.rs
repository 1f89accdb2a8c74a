//! Where a view begins: with its checkpoint, else at the beginning, else as asked.

use projection_core::{
    EventStore as _, FeedError, MaterializedViewOptions, Position, Projection as _, ProjectionRuntime, Start,
    ViewStore as _,
    memory::{InMemoryEventStore, InMemoryViews},
    store::LeaseRequest,
};
use time::{Duration, OffsetDateTime};

use crate::support::{List, added, checkpoint, feed_into, guarded_feed, stored, turns};

fn starting(start: Start) -> MaterializedViewOptions {
    MaterializedViewOptions::builder().batch_size(2).start(start).build().unwrap()
}

/// Each minute an entry of the list `a`, from 0.
fn minutes(count: i64) -> (InMemoryEventStore, OffsetDateTime) {
    let (events, first) = (InMemoryEventStore::new(), OffsetDateTime::UNIX_EPOCH);
    for entry in 0..count {
        let at = first + Duration::minutes(entry);
        events.record("s", [added("a", entry).with_time(at)]).unwrap();
    }
    (events, first)
}

async fn entries(start: Start) -> Vec<i64> {
    let (views, (events, _)) = (InMemoryViews::new(), minutes(6));
    guarded_feed(starting(start), &events, &views).await.catch_up().await.unwrap();
    stored(&views, "a").unwrap_or_default()
}

// spec: P22
#[tokio::test]
async fn a_view_without_a_checkpoint_begins_as_asked() {
    let (_, first) = minutes(0);
    assert_eq!(entries(Start::Beginning).await, [0, 1, 2, 3, 4, 5]);
    assert_eq!(entries(Start::AlwaysBeginning).await, [0, 1, 2, 3, 4, 5]);
    assert_eq!(entries(Start::Now).await, [0; 0]);
    assert_eq!(entries(Start::After(Position::from(4))).await, [4, 5]);
    assert_eq!(entries(Start::After(Position::from(6))).await, [0; 0]);
    assert_eq!(entries(Start::At(first + Duration::minutes(3))).await, [3, 4, 5]);
    assert_eq!(entries(Start::At(first + Duration::seconds(181))).await, [4, 5]);
    assert_eq!(entries(Start::At(first + Duration::days(1))).await, [0; 0]);
}

// spec: P22
#[tokio::test]
async fn a_view_with_a_checkpoint_goes_on_from_there_whatever_is_asked() {
    for start in [Start::Now, Start::After(Position::from(3)), Start::At(OffsetDateTime::now_utc())] {
        let (views, (events, _)) = (InMemoryViews::new(), minutes(3));
        guarded_feed(starting(Start::Beginning), &events, &views).await.catch_up().await.unwrap();
        for entry in 3..6 {
            events.record("s", [added("a", entry)]).unwrap();
        }
        guarded_feed(starting(start), &events, &views).await.catch_up().await.unwrap();
        assert_eq!(stored(&views, "a").unwrap(), [0, 1, 2, 3, 4, 5], "{start:?}");
    }
}

// spec: P22
#[tokio::test]
async fn where_it_began_is_recorded_before_anything_is_applied() {
    let (views, events) = (InMemoryViews::new(), turns(6));
    let feed = guarded_feed(starting(Start::Now), &events, &views).await;
    feed.catch_up().await.unwrap();
    events.record("s", [added("a", 50)]).unwrap();
    drop(feed);
    // Now is when it first started, not when it starts again.
    guarded_feed(starting(Start::Now), &events, &views).await.catch_up().await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [50]);
    let all = views.checkpoints().load("lists").await.unwrap();
    assert_eq!((all[0].start.as_i64(), all[0].position.as_i64()), (6, 7));
}

// spec: P22
#[tokio::test]
async fn to_start_earlier_than_it_began_is_refused_until_the_view_is_emptied() {
    let (views, events) = (InMemoryViews::new(), turns(6));
    guarded_feed(starting(Start::After(Position::from(4))), &events, &views).await.catch_up().await.unwrap();
    for (start, asked) in [(Start::Beginning, 0), (Start::After(Position::from(3)), 3)] {
        let error = guarded_feed(starting(start), &events, &views).await.catch_up().await.unwrap_err();
        assert!(
            matches!(&error, FeedError::Rebuild { start, asked: at, .. }
                if start.as_i64() == 4 && at.as_i64() == asked),
            "{error}"
        );
        let later = guarded_feed(starting(Start::After(Position::from(5))), &events, &views).await;
        later.catch_up().await.unwrap();
    }
    // A runtime says so when it starts.
    let runtime = ProjectionRuntime::builder(events.clone(), views.clone()).register::<List>().start().await;
    assert!(runtime.unwrap_err().to_string().contains("lists"));

    views.checkpoints().remove("lists", List::VERSION).await.unwrap();
    let emptied = InMemoryViews::new();
    guarded_feed(starting(Start::Beginning), &events, &emptied).await.catch_up().await.unwrap();
    assert_eq!(stored(&emptied, "a").unwrap(), [0, 3]);
}

#[tokio::test]
async fn a_position_that_the_store_has_not_reached_is_refused() {
    let (views, events) = (InMemoryViews::new(), turns(6));
    let feed = guarded_feed(starting(Start::After(Position::from(7))), &events, &views).await;
    let error = feed.catch_up().await.unwrap_err();
    assert!(error.to_string().ends_with("it is to start after position 7, and the store has come to 6"), "{error}");
    assert_eq!(checkpoint(&views).await, None);
}

#[tokio::test]
async fn a_view_that_always_begins_anew_reads_and_stores_no_checkpoint_and_takes_no_lease() {
    let (durable, events) = (InMemoryViews::new(), turns(6));
    for _process in 0..2 {
        // Its instances are gone with the process; what a view store keeps stays.
        let own = InMemoryViews::new();
        let plain = feed_into(
            own.open::<List>(&events.source()).await.unwrap(),
            starting(Start::AlwaysBeginning),
            &events,
            &durable,
        );
        plain.catch_up().await.unwrap();
        assert_eq!(stored(&own, "a").unwrap(), [0, 3]);
        assert_eq!(checkpoint(&durable).await, None);
    }

    let leases = durable.leases().unwrap();
    let other = LeaseRequest {
        projection: "lists".into(),
        version: List::VERSION,
        owner: "other".into(),
        ttl: std::time::Duration::from_secs(60),
    };
    leases.acquire(&other).await.unwrap();
    let own = InMemoryViews::new();
    let repository = own.open::<List>(&events.source()).await.unwrap();
    let runtime = ProjectionRuntime::builder(events, durable)
        .register_in::<List>(repository, |options| options.start(Start::AlwaysBeginning))
        .start()
        .await
        .unwrap();
    runtime.caught_up().await.unwrap();
    assert_eq!(stored(&own, "b").unwrap(), [1, 4]);
}

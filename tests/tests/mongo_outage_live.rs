//! The server is away for long while events are appended: the state says so, and in the end everything is applied, once.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use acceptance::{
    notes::{Noted, Notes, STREAMS, events, is_right, stream},
    progress::reaches_phase,
    server::OwnReplicaSet,
};
use projection_core::{
    ErrorKind, Phase, ProjectionRuntime,
    append::{AppendError, AppendEvents as _, AppendToken, ExpectedVersion, NewEvent},
    runtime::Health,
};
use projection_mongo::{MongoEvents, MongoViews};

const LIMIT: Duration = Duration::from_secs(90);

/// Appends one event after another, whatever happens, until it is told to stop.
struct Traffic {
    last: AtomicU32,
    stop: AtomicBool,
}

impl Traffic {
    async fn flow(&self, events: MongoEvents) -> AppendToken {
        let mut n = 1;
        loop {
            let before = ExpectedVersion::Exact(u64::from((n - 1) / STREAMS));
            let event = NewEvent::new(&Noted { n: n.into() }).unwrap().with_id(n.to_string());
            match events.append(stream(n), before, [event]).await {
                Ok(appended) if self.stop.load(Ordering::SeqCst) => {
                    self.last.store(n, Ordering::SeqCst);
                    return appended.token().clone();
                }
                // It had succeeded, and the answer was lost.
                Ok(_) | Err(AppendError::Duplicate(_) | AppendError::Conflict { .. }) => {
                    self.last.store(n, Ordering::SeqCst);
                    n += 1;
                }
                Err(AppendError::Store(error)) if error.kind() == ErrorKind::Transient => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(error) => panic!("{n} is not appended: {error}"),
            }
        }
    }

    async fn goes_on_for(&self, events: u32) {
        let from = self.last.load(Ordering::SeqCst);
        let goes_on = async {
            while self.last.load(Ordering::SeqCst) < from + events {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(LIMIT, goes_on).await.expect("events should be appended");
    }
}

/// Frozen for `frozen`, then killed, and started again after `away`.
async fn outage(frozen: Duration, away: Duration) {
    let set = OwnReplicaSet::of(1).await;
    let test = set.database().await;
    let runtime = ProjectionRuntime::builder(events(&test.database).await, MongoViews::new(test.database.clone()))
        .register::<Notes>()
        .lease(Duration::from_secs(6))
        .start()
        .await
        .unwrap();
    let traffic = Arc::new(Traffic { last: AtomicU32::new(0), stop: AtomicBool::new(false) });
    let flowing = tokio::spawn({
        let (traffic, events) = (Arc::clone(&traffic), events(&test.database).await);
        async move { traffic.flow(events).await }
    });
    traffic.goes_on_for(200).await;

    set.first().freeze();
    reaches_phase(&runtime, Phase::Retrying).await;
    tokio::time::sleep(frozen).await;
    let status = runtime.list().remove(0);
    assert!(matches!(status.health, Health::Retrying) && !status.health.is_ready(), "{status:?}");
    set.first().kill();
    tokio::time::sleep(away).await;
    let status = runtime.list().remove(0);
    assert!(!status.health.is_ready() && !matches!(status.health, Health::Failed), "{status:?}");
    assert!(set.first().start_again().await);

    traffic.goes_on_for(200).await;
    traffic.stop.store(true, Ordering::SeqCst);
    let token = flowing.await.unwrap();
    runtime.applied::<Notes>(&token, LIMIT).await.unwrap();
    is_right(&test, traffic.last.load(Ordering::SeqCst)).await;
    assert_eq!(runtime.list()[0].health, Health::Ready);
    runtime.shutdown().await;
}

// spec: B33, B41
#[tokio::test]
async fn events_are_appended_through_an_outage_and_all_are_applied_once() {
    outage(Duration::from_secs(2), Duration::from_secs(2)).await;
}

// spec: B33, B41
#[tokio::test]
#[ignore = "takes two minutes; run it with `cargo xtask test -- -p acceptance --test mongo_outage_live -- --ignored`"]
async fn events_are_appended_through_an_outage_of_two_minutes_and_all_are_applied_once() {
    outage(Duration::from_secs(60), Duration::from_secs(60)).await;
}

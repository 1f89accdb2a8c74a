//! Read your own writes: a token is waited for until its events are in the view, or can be told not to be.

use std::time::Duration;

use projection_core::{
    MaterializedViewOptionsBuilder, OnPoison, Phase, ProjectionRuntime, Start,
    append::{AppendEvents as _, AppendToken, Appended, ExpectedVersion, NewEvent},
    feed::AppliedError,
    memory::{InMemoryEventStore, InMemoryViews},
};

use crate::support::{List, added, stored, turns};

/// Polls so seldom that only being woken explains what happens in time.
const SELDOM: Duration = Duration::from_secs(3600);
const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(50);

async fn start(
    events: &InMemoryEventStore,
    views: &InMemoryViews,
    configure: impl FnOnce(MaterializedViewOptionsBuilder) -> MaterializedViewOptionsBuilder + Send + 'static,
) -> ProjectionRuntime {
    let runtime = ProjectionRuntime::builder(events.clone(), views.clone()).register_with::<List>(configure);
    runtime.poll_interval(SELDOM).start().await.unwrap()
}

async fn append(events: &InMemoryEventStore, event: NewEvent) -> Appended {
    events.append("s", ExpectedVersion::Any, [event]).await.unwrap()
}

#[tokio::test]
async fn an_append_wakes_a_live_view_and_is_waited_for() {
    let (events, views) = (turns(6), InMemoryViews::new());
    let runtime = start(&events, &views, |options| options).await;
    runtime.caught_up().await.unwrap();
    for entry in 50..60 {
        let appended = append(&events, added("a", entry)).await;
        runtime.applied::<List>(appended.token(), LONG).await.unwrap();
        assert_eq!(stored(&views, "a").unwrap().last(), Some(&entry));
    }
}

#[tokio::test]
async fn an_event_that_the_view_does_not_take_is_waited_for_as_well() {
    let (events, views) = (turns(6), InMemoryViews::new());
    let runtime = start(&events, &views, |options| options).await;
    let appended = append(&events, NewEvent::from_json("Other", "{}")).await;
    runtime.applied::<List>(appended.token(), LONG).await.unwrap();
    let nothing = events.append("s", ExpectedVersion::Any, []).await.unwrap();
    runtime.applied::<List>(nothing.token(), LONG).await.unwrap();
}

#[tokio::test]
async fn what_is_not_applied_in_time_is_a_time_out_that_says_how_far_it_is() {
    let (events, views) = (turns(6), InMemoryViews::new());
    let runtime = start(&events, &views, |options| options).await;
    runtime.caught_up().await.unwrap();
    runtime.pause("lists").await.unwrap();
    let appended = append(&events, added("a", 50)).await;
    let error = runtime.applied::<List>(appended.token(), SHORT).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "projection `lists` has not applied position 7 within 50ms: it has come to 6, and its phase is Stopped"
    );
    runtime.resume("lists").unwrap();
    runtime.applied::<List>(appended.token(), LONG).await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [0, 3, 50]);
}

// spec: B14
#[tokio::test]
async fn an_event_that_was_skipped_or_not_taken_by_a_parked_instance_is_told_apart() {
    for on_poison in [OnPoison::Skip, OnPoison::Park { max: 5 }] {
        let (events, views) = (turns(6), InMemoryViews::new());
        let runtime = start(&events, &views, move |options| options.on_poison(on_poison)).await;
        let bad = append(&events, added("boom a", 13)).await;
        let error = runtime.applied::<List>(bad.token(), LONG).await.unwrap_err();
        let parks = matches!(on_poison, OnPoison::Park { .. });
        assert!(
            matches!(&error, AppliedError::PassedOver { instance: Some(instance), parked, .. }
                if instance.contains("boom") && *parked == parks),
            "{error}"
        );
        assert!(error.to_string().contains("goes boom"), "{error}");

        let later = append(&events, added("boom", 14)).await;
        let applied = runtime.applied::<List>(later.token(), LONG).await;
        assert_eq!(applied.is_err(), parks, "a parked instance takes no later events either: {applied:?}");
        let other = append(&events, added("a", 15)).await;
        runtime.applied::<List>(other.token(), LONG).await.unwrap();
    }
}

#[tokio::test]
async fn a_projection_that_has_failed_says_why_at_once() {
    let (events, views) = (turns(6), InMemoryViews::new());
    let runtime = start(&events, &views, |options| options).await;
    let bad = append(&events, added("boom", 13)).await;
    let error = runtime.applied::<List>(bad.token(), LONG).await.unwrap_err();
    assert!(matches!(&error, AppliedError::Feed(_)), "{error}");
    assert!(error.to_string().contains("instance"), "{error}");
}

#[tokio::test]
async fn what_was_appended_before_the_view_began_is_never_in_it() {
    let (events, views) = (turns(6), InMemoryViews::new());
    let before = append(&events, added("a", 50)).await;
    let runtime = start(&events, &views, |options| options.start(Start::Now)).await;
    let error = runtime.applied::<List>(before.token(), LONG).await.unwrap_err();
    assert!(matches!(error, AppliedError::BeforeItsStart { .. }), "{error}");
    let after = append(&events, added("a", 51)).await;
    runtime.applied::<List>(after.token(), LONG).await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [51]);
}

#[tokio::test]
async fn a_token_of_another_store_is_refused() {
    let (events, views) = (turns(6), InMemoryViews::new());
    let runtime = start(&events, &views, |options| options).await;
    let token: AppendToken = "elsewhere:1..2".parse().unwrap();
    let error = runtime.applied::<List>(&token, LONG).await.unwrap_err();
    assert!(
        error.to_string().ends_with("reads the events of `events`, and the token is of `elsewhere`"),
        "{error}"
    );
}

#[tokio::test]
async fn a_process_that_stands_by_waits_for_the_owner() {
    let (events, views) = (turns(6), InMemoryViews::new());
    let owner = start(&events, &views, |options| options.on_poison(OnPoison::Skip)).await;
    owner.caught_up().await.unwrap();
    let other = start(&events, &views, |options| options.on_poison(OnPoison::Skip)).await;
    let mut progress = other.progress().remove(0);
    progress.wait_for(|progress| progress.phase == Phase::Standby).await.unwrap();
    let appended = append(&events, added("a", 50)).await;
    other.applied::<List>(appended.token(), LONG).await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [0, 3, 50]);
    let bad = append(&events, added("boom", 13)).await;
    let error = other.applied::<List>(bad.token(), LONG).await.unwrap_err();
    assert!(matches!(error, AppliedError::PassedOver { .. }), "{error}");
}

// spec: B1
#[tokio::test]
async fn events_that_pile_up_are_applied_in_batches() {
    let (events, views) = (turns(6), InMemoryViews::new());
    let runtime = start(&events, &views, |options| options).await;
    runtime.caught_up().await.unwrap();
    let mut last = None;
    for entry in 0..500 {
        last = Some(append(&events, added("a b c", entry)).await);
        tokio::task::yield_now().await;
    }
    runtime.applied::<List>(last.unwrap().token(), LONG).await.unwrap();
    let progress = runtime.progress().remove(0).borrow().clone();
    assert_eq!(progress.events_applied, 506);
    assert!(progress.batches < 100, "{} batches", progress.batches);
}

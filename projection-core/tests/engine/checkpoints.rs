//! Where a start begins, and which starts are refused.

use std::{collections::BTreeMap, sync::Arc};

use projection_core::{
    EventStore, Filter, Handlers, Projection, ViewStore,
    feed::{CatchupProjectionFeed, ProjectionView},
    memory::{InMemoryEventStore, InMemoryViews, NewEvent},
};
use serde::{Deserialize, Serialize};

use crate::support::{Added, List, Removed, added, checkpoint, guarded_feed, options, stored, turns};

// spec: B12, P22
#[tokio::test]
async fn a_new_process_goes_on_from_the_checkpoint() {
    let (views, events) = (InMemoryViews::new(), turns(6));
    guarded_feed(options(4), &events, &views).await.catch_up().await.unwrap();
    events.record("s", [added("a", 100)]).unwrap();
    let feed = guarded_feed(options(4), &events, &views).await;
    feed.catch_up().await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [0, 3, 100]);
    assert_eq!(feed.progress().borrow().events_applied, 1);
}

// spec: B13
#[tokio::test]
async fn a_filter_that_matches_nothing_moves_the_checkpoint_to_the_mark() {
    let (views, events) = (InMemoryViews::new(), InMemoryEventStore::new());
    events.record("s", (0..10).map(|_| NewEvent::from_json("Other", "{}"))).unwrap();
    let feed = guarded_feed(options(4), &events, &views).await;
    feed.catch_up().await.unwrap();
    assert_eq!(checkpoint(&views).await, Some(10));
    events.record("s", (0..5).map(|_| NewEvent::from_json("Other", "{}"))).unwrap();
    feed.poll().await.unwrap();
    assert_eq!(checkpoint(&views).await, Some(15));
}

#[tokio::test]
async fn only_the_streams_of_the_filter_are_read() {
    let (views, events) = (InMemoryViews::new(), InMemoryEventStore::new());
    events.record("s", [added("a", 1)]).unwrap();
    events.record("t", [added("a", 2)]).unwrap();
    let repository = views.open::<List>(&events.source()).await.unwrap();
    let filter = Filter::all().with_streams(["t"]);
    let view = ProjectionView::<List>::new(repository);
    let feed = CatchupProjectionFeed::new(view, filter, Arc::new(events), views.checkpoints()).unwrap();
    feed.catch_up().await.unwrap();
    assert_eq!(stored(&views, "a").unwrap(), [2]);
}

/// The lists, by a release that also handles `Removed` or does not.
macro_rules! release {
    ($name:ident, $version:literal, $($event:ty),+) => {
        #[derive(Default, Serialize, Deserialize)]
        struct $name {}

        impl Projection for $name {
            type State = BTreeMap<String, i64>;
            type Id = String;
            const NAME: &'static str = "lists";
            const VERSION: u32 = $version;

            fn handlers<H: Handlers<Self>>(handlers: &mut H) {
                $(handlers.on::<$event>(|_, _, keys| keys.push("all".to_owned()), |state, _, _, _| {
                    *state.get_or_insert_default().entry("events".to_owned()).or_default() += 1;
                });)+
            }
        }
    };
}
release!(Before, 1, Added);
release!(After, 1, Added, Removed);
release!(AfterWithVersion, 2, Added, Removed);

async fn start<P: Projection>(
    events: &InMemoryEventStore,
    views: &InMemoryViews,
    accept: bool,
) -> Result<(), String> {
    let repository = views.open::<P>(&events.source()).await.unwrap();
    let options = P::options().to_builder();
    let options = if accept { options.accept_changed_handlers() } else { options };
    let view = ProjectionView::<P>::new(repository).with_options(options.build().unwrap());
    let feed =
        CatchupProjectionFeed::new(view, Filter::all(), Arc::new(events.clone()), views.checkpoints()).unwrap();
    feed.catch_up().await.map_err(|error| error.to_string())
}

// spec: B16
#[tokio::test]
async fn changed_handlers_are_refused_with_advice_until_a_new_version_or_consent() {
    let (views, events) = (InMemoryViews::new(), turns(4));
    start::<Before>(&events, &views, false).await.unwrap();
    let refused = start::<After>(&events, &views, false).await.unwrap_err();
    assert!(refused.contains("they now also take `Removed`. Raise `version` to 2"), "{refused}");
    start::<AfterWithVersion>(&events, &views, false).await.unwrap();
    assert_eq!(views.get::<AfterWithVersion>(&"all".to_owned()).unwrap().unwrap()["events"], 4, "built anew");
    start::<After>(&events, &views, true).await.unwrap();
    let refused = start::<Before>(&events, &views, false).await.unwrap_err();
    assert!(refused.contains("they no longer take `Removed`"), "{refused}");
}

//! A small domain whose fold does not commute, and short ways to feed it.

use std::sync::Arc;

use projection_core::{
    Event, EventStore, Filter, Handlers, MaterializedViewOptions, Projection, ViewStateRepository, ViewStore,
    feed::{CatchupProjectionFeed, Offered, OfferedEvent, ProjectionView},
    memory::{InMemoryEventStore, InMemoryViews, NewEvent},
    store::SharedRepository,
    testing::RecordingRepository,
};
use serde::{Deserialize, Serialize};

/// Appends `entry` to each list named in `to`. A list of the name `boom` makes the handler panic, one named `bad-key`
/// the key.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Added {
    pub to: Vec<String>,
    pub entry: i64,
}

impl Event for Added {
    const NAME: &'static str = "Added";
}

/// Deletes each list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Removed {
    pub from: Vec<String>,
}

impl Event for Removed {
    const NAME: &'static str = "Removed";
}

/// The entries of one list, in the order they came: an order that is lost shows.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct List {
    pub entries: Vec<i64>,
}

impl Projection for List {
    type State = Self;
    type Id = String;
    const NAME: &'static str = "lists";

    fn handlers<H: Handlers<Self>>(handlers: &mut H) {
        handlers
            .on::<Added>(
                |event, _, keys| {
                    assert!(!event.to.contains(&"bad-key".to_owned()), "no such key");
                    keys.add(&event.to);
                },
                |list, event, _, id| {
                    list.get_or_insert_default().entries.push(event.entry);
                    assert!(!(id == "boom" && event.entry == 13), "entry 13 goes boom");
                },
            )
            .on::<Removed>(|event, _, keys| keys.add(&event.from), |list, _, _, _| *list = None);
    }
}

pub(crate) fn added(to: &str, entry: i64) -> NewEvent {
    let to = to.split(' ').filter(|to| !to.is_empty()).map(str::to_owned).collect();
    NewEvent::new(&Added { to, entry }).unwrap()
}

pub(crate) fn removed(from: &str) -> NewEvent {
    NewEvent::new(&Removed { from: from.split(' ').map(str::to_owned).collect() }).unwrap()
}

/// Offers what `added` would have stored, under the id `id`.
pub(crate) fn offered(id: &str, to: &str, entry: i64) -> OfferedEvent {
    let event = Added { to: vec![to.to_owned()], entry };
    OfferedEvent::of(&event, Offered::new("events", id, "s")).unwrap()
}

/// `count` events over the lists `a`, `b`, `c`, in turn.
pub(crate) fn turns(count: i64) -> InMemoryEventStore {
    let events = InMemoryEventStore::new();
    for entry in 0..count {
        events.record("s", [added(["a", "b", "c"][usize::try_from(entry % 3).unwrap()], entry)]).unwrap();
    }
    events
}

pub(crate) fn options(batch_size: usize) -> MaterializedViewOptions {
    MaterializedViewOptions::new(batch_size).unwrap()
}

/// The exact counts hold with the state cache off.
pub(crate) fn uncached(batch_size: usize) -> MaterializedViewOptions {
    MaterializedViewOptions::builder().batch_size(batch_size).cache_bytes(0).build().unwrap()
}

pub(crate) type Lists = RecordingRepository<List, String>;

pub(crate) fn repository(
    of: &(impl ViewStateRepository<List, String> + Clone + 'static),
) -> SharedRepository<List> {
    Arc::new(of.clone())
}

/// Feeds a repository; its checkpoints are kept in `views`.
pub(crate) fn feed_into(
    repository: SharedRepository<List>,
    options: MaterializedViewOptions,
    events: &(impl EventStore + Clone),
    views: &InMemoryViews,
) -> CatchupProjectionFeed {
    let view = ProjectionView::<List>::new(repository).with_options(options);
    CatchupProjectionFeed::new(view, Filter::all(), Arc::new(events.clone()), views.checkpoints()).unwrap()
}

/// Feeds the guarded in-memory repository.
pub(crate) async fn guarded_feed(
    options: MaterializedViewOptions,
    events: &InMemoryEventStore,
    views: &InMemoryViews,
) -> CatchupProjectionFeed {
    let repository = views.open::<List>(&events.source()).await.unwrap();
    feed_into(repository, options, events, views)
}

/// The position of the checkpoint, if there is one.
pub(crate) async fn checkpoint(views: &InMemoryViews) -> Option<i64> {
    let all = views.checkpoints().load("lists").await.unwrap();
    assert!(all.len() <= 1);
    all.first().map(|checkpoint| checkpoint.position.as_i64())
}

pub(crate) fn stored(views: &InMemoryViews, id: &str) -> Option<Vec<i64>> {
    views.get::<List>(&id.to_owned()).unwrap().map(|list| list.entries)
}

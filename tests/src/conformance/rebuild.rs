//! A new version of a view takes the place of the one that readers see.

use std::time::Duration;

use projection_core::{
    Event, EventStore as _, Position, Projection, ProjectionRuntime, StreamId, ViewStore,
    memory::{InMemoryEventStore, NewEvent},
    projection,
    runtime::{Rebuild, RebuildError, Rebuilt},
    store::{ChangeOutcome, Commit, Expected, Fence},
};
use serde::{Deserialize, Serialize};

use super::{change, load};

const LIMIT: Duration = Duration::from_secs(60);

#[derive(Serialize, Deserialize, Event)]
#[event(name = "Sold")]
struct Sold {
    cents: i64,
}

#[derive(Serialize, Deserialize, Event)]
#[event(name = "Closed")]
struct Closed {}

/// What readers see at first.
pub mod first {
    use super::*;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    /// A till.
    pub struct Till {
        /// What is in it.
        pub cents: i64,
    }

    #[projection(name = "till", batch_size = 7)]
    impl Till {
        #[on]
        fn sold(&mut self, event: &Sold) {
            self.cents += event.cents;
        }
        #[on]
        fn closed(self, _: &Closed) -> Option<Self> {
            None
        }
    }
}

/// What comes after it.
pub mod second {
    use super::*;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    /// A till.
    pub struct Till {
        /// What is in it.
        pub cents: i64,
        /// How often was sold.
        pub sales: i64,
    }

    #[projection(name = "till", version = 2, index(sales))]
    impl Till {
        #[on]
        fn sold(&mut self, event: &Sold) {
            self.cents += event.cents;
            self.sales += 1;
        }
        #[on]
        fn closed(self, _: &Closed) -> Option<Self> {
            None
        }
    }
}

/// How many tills there are; every fourth is closed.
pub const TILLS: i64 = 40;

/// Five sales in each till, and every fourth till is closed.
#[must_use]
pub fn history() -> InMemoryEventStore {
    let events = InMemoryEventStore::new();
    (0..TILLS * 5).for_each(|n| sell(&events, n % TILLS));
    for till in (0..TILLS).step_by(4) {
        events.record(format!("till-{till}"), [NewEvent::new(&Closed {}).unwrap()]).unwrap();
    }
    events
}

fn sell(events: &InMemoryEventStore, till: i64) {
    events.record(format!("till-{till}"), [NewEvent::new(&Sold { cents: till + 1 }).unwrap()]).unwrap();
}

async fn last(events: &InMemoryEventStore) -> Position {
    events.mark().await.unwrap()
}

/// A process that feeds this version, once it has caught up.
pub async fn started<P: Projection, V: ViewStore + Clone>(
    events: &InMemoryEventStore,
    views: &V,
) -> ProjectionRuntime {
    let builder = ProjectionRuntime::builder(events.clone(), views.clone());
    let builder = builder.poll_interval(Duration::from_millis(5)).lease(Duration::from_secs(6));
    let runtime = builder.register::<P>().start().await.unwrap();
    tokio::time::timeout(LIMIT, runtime.caught_up()).await.unwrap().unwrap();
    runtime
}

async fn rebuilt<P: Projection>(runtime: &ProjectionRuntime, how: Rebuild) -> Result<Rebuilt, RebuildError> {
    tokio::time::timeout(LIMIT, runtime.rebuild::<P>(how)).await.expect("it ends")
}

/// Of who owns the second version.
async fn fence<V: ViewStore>(views: &V) -> Option<Fence> {
    let owners = views.leases()?.owners().await.unwrap();
    let owner = owners.into_iter().find(|owner| owner.version == 2).unwrap();
    Some(Fence { owner: owner.owner, epoch: owner.epoch, version: 2 })
}

/// Which version readers see.
pub async fn shown<V: ViewStore>(views: &V) -> Option<u32> {
    views.versions("till").expect("it has versions").shown("till").await.unwrap()
}

/// Readers see the old one until they are told, then the new one; both go on.
pub async fn a_new_version_is_shown_when_it_is_as_far_as_the_old_one<V: ViewStore + Clone>(views: &V) {
    let events = history();
    let old = started::<first::Till, V>(&events, views).await;
    assert_eq!(rebuilt::<first::Till>(&old, Rebuild::new()).await.unwrap(), Rebuilt::Already);
    let new = started::<second::Till, V>(&events, views).await;
    assert_eq!(shown(views).await, Some(1), "readers see the old one until they are told");

    let switched = rebuilt::<second::Till>(&new, Rebuild::new().checking(usize::MAX)).await.unwrap();
    let Rebuilt::Switched { from: Some(1), position, compared } = switched else { panic!("{switched:?}") };
    assert_eq!((position, compared), (last(&events).await, TILLS as usize), "the closed ones, too");
    assert_eq!(shown(views).await, Some(2));
    assert_eq!(rebuilt::<second::Till>(&new, Rebuild::new()).await.unwrap(), Rebuilt::Already);

    // Both go on, each by itself.
    sell(&events, 1);
    let (id, expected): (StreamId, _) = ("till-1".into(), 6 * 2);
    let last = last(&events).await;
    for runtime in [&old, &new] {
        let mut progress = runtime.progress().remove(0);
        let caught_up = progress.wait_for(|progress| progress.position == last);
        drop(tokio::time::timeout(LIMIT, caught_up).await.unwrap().unwrap());
    }
    let in_old = old.view::<first::Till>().unwrap().find(&id).await.unwrap();
    let in_new = new.view::<second::Till>().unwrap().find(&id).await.unwrap();
    assert_eq!(in_old, Some(first::Till { cents: expected }));
    assert_eq!(in_new, Some(second::Till { cents: expected, sales: 6 }));
}

/// A process of an older release changes nothing, unless it is told to; then it catches up first.
pub async fn an_older_version_is_shown_again_only_if_that_is_said<V: ViewStore + Clone>(views: &V) {
    let events = history();
    let old = started::<first::Till, V>(&events, views).await;
    old.shutdown().await;
    let new = started::<second::Till, V>(&events, views).await;
    rebuilt::<second::Till>(&new, Rebuild::new()).await.unwrap();
    (0..30).for_each(|n| sell(&events, n % TILLS));

    let old = started::<first::Till, V>(&events, views).await;
    assert_eq!(rebuilt::<first::Till>(&old, Rebuild::new()).await.unwrap(), Rebuilt::Newer { shown: 2 });
    assert_eq!(shown(views).await, Some(2));
    let back = rebuilt::<first::Till>(&old, Rebuild::new().going_back().checking(10)).await.unwrap();
    let Rebuilt::Switched { from: Some(2), position, compared } = back else { panic!("{back:?}") };
    assert_eq!(position, last(&events).await, "it was caught up first");
    assert!((1..=TILLS as usize).contains(&compared), "{compared}");
    assert_eq!(shown(views).await, Some(1));
}

/// A wrong instance, a missing one, and one that no event makes.
pub async fn a_version_that_is_not_what_the_events_make_is_not_shown<V: ViewStore + Clone>(views: &V) {
    let events = history();
    started::<first::Till, V>(&events, views).await.shutdown().await;
    let new = started::<second::Till, V>(&events, views).await;
    let repository = views.open::<second::Till>(&events.source()).await.unwrap();
    let ids = [1, 2, TILLS].map(|till| StreamId::from(format!("till-{till}")));
    let stored = load(&*repository, &ids).await;
    let at = |place: usize| stored[place].as_ref().map_or(Expected::Absent, |stored| Expected::At(stored.position));
    let position = u32::try_from(last(&events).await.as_u64()).unwrap();
    let wrong = second::Till { cents: 1, sales: 1 };
    let changes = [
        change(&ids[0], Some(&wrong), position, at(0)),
        change(&ids[1], None, position, at(1)),
        change(&ids[2], Some(&wrong), position, at(2)),
    ];
    let fence = fence(views).await;
    let commit = Commit { changes: &changes, fence: fence.as_ref(), checkpoint: None };
    let outcomes = repository.guarded().unwrap().commit(commit).await.outcomes;
    assert!(outcomes.iter().all(|outcome| matches!(outcome, ChangeOutcome::Written { .. })), "{outcomes:?}");

    let error = rebuilt::<second::Till>(&new, Rebuild::new().checking(usize::MAX)).await.unwrap_err();
    let RebuildError::Different { different, compared, differences, .. } = &error else { panic!("{error}") };
    assert_eq!((*different, *compared), (3, TILLS as usize + 1), "{error}");
    let said = |text: &str| differences.iter().any(|one| one == text);
    assert!(
        said(r#""till-1": stored is {"cents":1,"sales":1}, the events make {"cents":10,"sales":5}"#),
        "{error}"
    );
    assert!(said(r#""till-2": stored is nothing, the events make {"cents":15,"sales":5}"#), "{error}");
    assert!(said(r#""till-40": stored is {"cents":1,"sales":1}, the events make nothing"#), "{error}");
    assert_eq!(shown(views).await, Some(1));
}

/// Nothing waits for ever.
pub async fn a_version_that_is_paused_is_not_shown<V: ViewStore + Clone>(views: &V) {
    let events = history();
    started::<first::Till, V>(&events, views).await.shutdown().await;
    let new = started::<second::Till, V>(&events, views).await;
    new.pause("till").await.unwrap();
    let error = rebuilt::<second::Till>(&new, Rebuild::new()).await.unwrap_err();
    assert!(matches!(error, RebuildError::Feed(_)), "{error}");
    assert_eq!(shown(views).await, Some(1));
}

/// Each process of a service says the same at its start.
pub async fn a_stand_by_waits_until_the_owner_has_switched<V: ViewStore + Clone>(views: &V) {
    let events = history();
    started::<first::Till, V>(&events, views).await.shutdown().await;
    let owner = started::<second::Till, V>(&events, views).await;
    let builder = ProjectionRuntime::builder(events.clone(), views.clone());
    let stand_by = builder.register::<second::Till>().start().await.unwrap();
    let how = || Rebuild::new().checking(5);
    let (first, second) =
        tokio::join!(rebuilt::<second::Till>(&stand_by, how()), rebuilt::<second::Till>(&owner, how()));
    assert_eq!(first.unwrap(), Rebuilt::Already);
    assert!(matches!(second.unwrap(), Rebuilt::Switched { .. }));
}

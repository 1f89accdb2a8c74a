//! Notes: events with a number each, and a view whose entries show what was applied twice, not at all, or in another order.

use std::ops::RangeInclusive;

use mongodb::Database;
use projection_core::{Event, Position, StreamId, ViewStore as _, projection, store::SourceName};
use projection_mongo::{ImportedEvent, MongoEvents, MongoEventsOptions, MongoViews};
use serde::{Deserialize, Serialize};

use crate::server::TestDatabase;

/// Over how many streams the events of [`import`] are spread.
pub const STREAMS: u32 = 11;

/// A number was noted.
#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "Noted")]
pub struct Noted {
    /// The number.
    pub n: i64,
}

/// What was noted before does not count any more.
#[derive(Debug, Serialize, Deserialize, Event)]
#[event(name = "Cleared")]
pub struct Cleared {}

/// What was noted in one stream. Does not commute.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notes {
    /// The numbers, in the order in which they were applied.
    pub entries: Vec<i64>,
}

#[projection(name = "notes", batch_size = 20)]
impl Notes {
    #[on]
    fn noted(&mut self, event: &Noted) {
        self.entries.push(event.n);
    }

    #[on]
    fn cleared(self, _: &Cleared) -> Option<Self> {
        None
    }
}

/// The stream in which this number is noted.
#[must_use]
pub fn stream(n: u32) -> StreamId {
    format!("s-{}", n % STREAMS).into()
}

/// The store of the events.
pub async fn events(database: &Database) -> MongoEvents {
    MongoEvents::open(database, "events", MongoEventsOptions::new()).await.unwrap()
}

/// Notes each of these numbers at the position that is the same number.
pub async fn import(database: &Database, numbers: RangeInclusive<u32>) {
    let noted =
        |n: u32| ImportedEvent::named("Noted", Position::from(n), stream(n), &Noted { n: n.into() }).unwrap();
    events(database).await.import(numbers.map(noted)).await.unwrap();
}

/// Each instance is the fold of its events up to the number `last`, in their order, each once.
pub async fn is_right(test: &TestDatabase, last: u32) {
    let views = MongoViews::new(test.plain().await);
    let repository = views.open::<Notes>(&SourceName::default()).await.unwrap();
    for id in (0..STREAMS).map(stream) {
        let found = repository.find_by_id(&id).await.unwrap().unwrap_or_default();
        let expected: Vec<i64> = (1..=last).filter(|n| stream(*n) == id).map(i64::from).collect();
        assert_eq!(found.entries, expected, "{id:?}");
    }
}

//! What an event says after it was stored.

use projection_core::{
    EventMetadata, EventStore as _,
    append::{AppendEvents as _, ExpectedVersion, NewEvent},
    store::{EventPage as _, RawEvent as _},
};
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime, UtcOffset};

use super::{Appending, everything};

async fn stored(store: &impl Appending, event: NewEvent) -> EventMetadata {
    store.events().append("a", ExpectedVersion::Any, [event]).await.unwrap();
    everything(store.events()).await.pop().unwrap()
}

/// An event comes from the store's own order, now, where nothing is said.
pub async fn what_is_not_said_of_an_event_is_filled_in(store: &impl Appending) {
    let before = OffsetDateTime::now_utc() - Duration::seconds(1);
    let event = stored(store, NewEvent::from_json("X", "{}")).await;
    assert_eq!(event.source(), store.events().source().as_str());
    assert!(!event.id().is_empty());
    let time = event.time().unwrap();
    assert!(time >= before && time <= OffsetDateTime::now_utc() + Duration::seconds(1), "{time}");
    let other = stored(store, NewEvent::from_json("X", "{}")).await;
    assert_ne!(event.id(), other.id());
}

/// What is said of an event is kept; its time in UTC.
pub async fn what_is_said_of_an_event_is_kept(store: &impl Appending) {
    let time = OffsetDateTime::from_unix_timestamp_nanos(1_357_034_400_123_000_000).unwrap();
    let there = time.to_offset(UtcOffset::from_hms(5, 30, 0).unwrap());
    let new = NewEvent::from_json("Ordered \u{1F600}", "{}").with_id("ä\"1").with_source("/shop").with_time(there);
    let event = stored(store, new).await;
    assert_eq!((event.id(), event.source(), event.name()), ("ä\"1", "/shop", "Ordered \u{1F600}"));
    assert_eq!(event.time(), Some(time));
    assert_eq!(event.time().unwrap().offset(), UtcOffset::UTC);
}

/// Data is decoded as it was.
pub async fn data_survives_as_it_was(store: &impl Appending) {
    let events = store.events();
    let all = [
        json!({}),
        json!({ "a": [1, -1, 0.5, 1.0, true, null, "x"], "b": { "c": { "d": [] } } }),
        json!({ "max": i64::MAX, "min": i64::MIN, "large": 1e300, "small": 5e-324, "negative": -0.5 }),
        json!({ "a.b": 1, "$set": { "$inc": 2 }, "": 3, "type": "X", "ä\u{1F600}": "\u{0}\u{7f}" }),
    ];
    for (n, data) in all.iter().enumerate() {
        let event = NewEvent::from_json("X", data.to_string()).with_id(n.to_string());
        events.append("a", ExpectedVersion::Any, [event]).await.unwrap();
    }
    let page = events.read_stream(&"a".into(), 0, 9).await.unwrap();
    let found: Vec<Value> = page.events().map(|event| event.decode().unwrap()).collect();
    assert_eq!(found, all);
}

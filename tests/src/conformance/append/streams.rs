//! What is read of a stream, and how one waits for what was appended.

use std::time::Duration;

use projection_core::{
    ErrorKind, Event, EventRef, EventSet, EventStore as _, Position,
    append::{AppendEvents as _, AppendToken, ExpectedVersion, NewEvent},
    store::{EventPage as _, RawEvent as _},
};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::{Appending, event, everything};

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "Deposited")]
struct Deposited {
    cents: i64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Event)]
#[event(name = "Closed")]
struct Closed {}

#[derive(Debug, PartialEq, EventSet)]
enum Account {
    Deposited(Deposited),
    Closed(Closed),
}

/// A stream is read from any version on, and ends with an empty page.
pub async fn a_stream_is_read_in_pages(store: &impl Appending) {
    let events = store.events();
    for n in 1..=5 {
        events.append("a", ExpectedVersion::Any, [event(&format!("a{n}"))]).await.unwrap();
        events.append("b", ExpectedVersion::Any, [event(&format!("b{n}"))]).await.unwrap();
    }
    let read = async |stream: &'static str, after, limit| {
        let page = events.read_stream(&stream.into(), after, limit).await.unwrap();
        page.events().map(|event| event.metadata().id().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(read("a", 0, 9).await, ["a1", "a2", "a3", "a4", "a5"]);
    assert_eq!(read("a", 0, 2).await, ["a1", "a2"]);
    assert_eq!(read("a", 2, 2).await, ["a3", "a4"]);
    assert!(read("a", 5, 2).await.is_empty());
    assert!(read("a", u64::MAX, 2).await.is_empty());
    assert!(read("nobody", 0, 2).await.is_empty());
}

/// A stream is loaded with its version; events of other names count, and are passed over.
pub async fn a_stream_is_loaded(store: &impl Appending) {
    let events = store.events();
    let nothing = events.load::<Account>(&"a".into()).await.unwrap();
    assert_eq!((nothing.version, nothing.events), (0, vec![]));
    let deposit = |cents| NewEvent::new(&Deposited { cents }).unwrap();
    let closed = NewEvent::new(&Closed {}).unwrap();
    events.append("a", ExpectedVersion::Exact(0), [deposit(5), event("other"), closed]).await.unwrap();
    let loaded = events.load::<Account>(&"a".into()).await.unwrap();
    assert_eq!(loaded.version, 3);
    assert_eq!(loaded.events, [Account::Deposited(Deposited { cents: 5 }), Account::Closed(Closed {})]);
    events.append("a", ExpectedVersion::Exact(loaded.version), [deposit(7)]).await.unwrap();
    assert_eq!(events.load::<Deposited>(&"a".into()).await.unwrap().events.len(), 2);

    let wrong = NewEvent::from_json("Deposited", r#"{"cents":"five"}"#);
    events.append("b", ExpectedVersion::Any, [wrong]).await.unwrap();
    assert_eq!(events.load::<Deposited>(&"b".into()).await.unwrap_err().kind(), ErrorKind::Poison);
}

/// A token names the positions of its append and no others, and survives as text.
pub async fn a_token_names_the_events_of_an_append(store: &impl Appending) {
    let events = store.events();
    events.append("a", ExpectedVersion::Any, [event("1")]).await.unwrap();
    let appended = events.append("a", ExpectedVersion::Any, [event("2"), event("3")]).await.unwrap();
    events.append("a", ExpectedVersion::Any, [event("4")]).await.unwrap();
    let token: AppendToken = appended.token().to_string().parse().unwrap();
    assert_eq!(token.source(), &events.source());
    let named = everything(events).await;
    let named = named.iter().filter(|event| event.position() > token.after() && event.position() <= token.last());
    assert_eq!(named.map(projection_core::EventMetadata::id).collect::<Vec<_>>(), ["2", "3"]);
    assert_eq!(token.last(), appended.position());
}

/// Events are located as soon as they are appended.
pub async fn appended_events_are_located(store: &impl Appending) {
    let events = store.events();
    let appended = events.append("a", ExpectedVersion::Any, [event("1")]).await.unwrap();
    let found = events.locate(&[EventRef::new("s", "1"), EventRef::new("t", "1")]).await.unwrap();
    assert_eq!(found, [Some(appended.position()), None]);
    assert_ne!(appended.position(), Position::START);
}

/// Whoever waits is woken by an append, each time.
pub async fn an_append_wakes(store: &impl Appending) {
    let events = store.events();
    let limit = Duration::from_secs(20);
    let mut waiting = events.wake_up().await.unwrap().expect("this store wakes");
    assert!(timeout(Duration::from_millis(300), waiting.woken()).await.is_err(), "nothing was appended");
    for n in 0..3 {
        events.append("a", ExpectedVersion::Any, [event(&n.to_string())]).await.unwrap();
        timeout(limit, waiting.woken()).await.expect("an append wakes").unwrap();
    }
}

//! An event store that is appended to: expectations, duplicates, several streams at once, what is read back.

mod contents;
mod reader;
mod side_by_side;
mod streams;

use async_trait::async_trait;
use projection_core::{
    ErrorKind, EventMetadata, EventStore as _, Filter, Position, StoreError,
    append::{AppendError, AppendEvents, ExpectedVersion, NewEvent, StreamAppend},
    store::{EventPage as _, RawEvent as _, Window},
};

pub use self::{
    contents::{
        data_survives_as_it_was, what_is_not_said_of_an_event_is_filled_in, what_is_said_of_an_event_is_kept,
    },
    reader::{Reader, Seen},
    side_by_side::{Appenders, appenders_side_by_side_are_read_once_each_and_in_order},
    streams::{
        a_stream_is_loaded, a_stream_is_read_in_pages, a_token_names_the_events_of_an_append, an_append_wakes,
        appended_events_are_located,
    },
};

/// A store that is appended to, and a way to append in vain.
#[async_trait]
pub trait Appending: Clone + Send + Sync + 'static {
    /// The store.
    type Store: AppendEvents;

    /// The store, which begins empty.
    fn events(&self) -> &Self::Store;

    /// Appends to a stream, and then undoes it.
    async fn append_in_vain(&self, stream: &str, events: Vec<NewEvent>);
}

/// An event with this id.
#[must_use]
pub fn event(id: &str) -> NewEvent {
    NewEvent::from_json("X", "{}").with_id(id).with_source("s")
}

/// Reads everything up to the mark: metadata, in position order.
pub async fn everything(events: &impl AppendEvents) -> Vec<EventMetadata> {
    let mut all: Vec<EventMetadata> = Vec::new();
    let (mut after, up_to) = (Position::START, events.mark().await.unwrap());
    while after < up_to {
        let page = events.read(Window { after, up_to }, &Filter::all(), 1000).await.unwrap();
        after = page.covers();
        all.extend(page.events().map(|event| event.metadata()));
    }
    all
}

fn places(events: &[EventMetadata]) -> Vec<(&str, u64, &str)> {
    events.iter().map(|event| (event.stream_id().as_str(), event.stream_version(), event.id())).collect()
}

/// What is appended stands behind what was there, and the mark covers it.
pub async fn an_append_gives_positions_and_versions(store: &impl Appending) {
    let events = store.events();
    assert_eq!(events.mark().await.unwrap(), Position::START);
    let first = events.append("a", ExpectedVersion::NoStream, [event("1"), event("2")]).await.unwrap();
    let second = events.append("b", ExpectedVersion::Any, [event("3")]).await.unwrap();
    let third = events.append("a", ExpectedVersion::Exact(2), [event("4")]).await.unwrap();
    assert_eq!([first.stream_version(), second.stream_version(), third.stream_version()], [2, 1, 3]);
    assert!(first.position() < second.position() && second.position() < third.position());
    assert_eq!(events.mark().await.unwrap(), third.position());
    let all = everything(events).await;
    assert_eq!(places(&all), [("a", 1, "1"), ("a", 2, "2"), ("b", 1, "3"), ("a", 3, "4")]);
    assert!(all.is_sorted_by(|a, b| a.position() < b.position()));
    assert_eq!(all[1].position(), first.position());
}

/// A conflict names what was expected, and what is there; nothing is appended.
pub async fn another_version_than_expected_is_a_conflict_that_names_both(store: &impl Appending) {
    let events = store.events();
    events.append("a", ExpectedVersion::Any, [event("1"), event("2")]).await.unwrap();
    for (expected, words) in [
        (ExpectedVersion::NoStream, "no stream"),
        (ExpectedVersion::Exact(1), "version 1"),
        (ExpectedVersion::Exact(3), "version 3"),
        (ExpectedVersion::Exact(0), "version 0"),
    ] {
        let error = events.append("a", expected, [event("3")]).await.unwrap_err();
        assert!(matches!(&error, AppendError::Conflict { actual: 2, expected: found, .. } if *found == expected));
        let message = format!("stream `a` has version 2, and {words} was expected: load it again and decide anew");
        assert_eq!(error.to_string(), message);
        assert_eq!(StoreError::from(error).kind(), ErrorKind::Conflict);
    }
    let error = events.append("b", ExpectedVersion::Exact(1), [event("3")]).await.unwrap_err();
    assert!(matches!(error, AppendError::Conflict { actual: 0, .. }));
    events.append("b", ExpectedVersion::Exact(0), [event("3")]).await.unwrap();
    assert_eq!(places(&everything(events).await), [("a", 1, "1"), ("a", 2, "2"), ("b", 1, "3")]);
}

// spec: P24
/// An event whose source and id are there, or come twice, is refused with all of its append.
pub async fn an_event_that_is_there_is_refused_with_all_of_its_append(store: &impl Appending) {
    let events = store.events();
    let of = |source: &str, id: &str| event(id).with_source(source);
    let duplicate = |error: AppendError| match error {
        AppendError::Duplicate(event) => format!("{event}"),
        other => panic!("{other:?}"),
    };
    events.append("a", ExpectedVersion::Any, [of("s", "1"), of("t", "1")]).await.unwrap();
    let again = events.append("b", ExpectedVersion::Any, [of("s", "2"), of("s", "1")]).await;
    assert_eq!(duplicate(again.unwrap_err()), "1 of s");
    let twice = events.append("a", ExpectedVersion::Any, [of("s", "3"), of("t", "3"), of("s", "3")]).await;
    assert_eq!(duplicate(twice.unwrap_err()), "3 of s");
    let one = |stream: &str| StreamAppend::new(stream, ExpectedVersion::Any, [of("s", "4")]);
    assert_eq!(duplicate(events.append_all(vec![one("a"), one("b")]).await.unwrap_err()), "4 of s");
    let appended = events.append("a", ExpectedVersion::Exact(2), [of("s", "3")]).await.unwrap();
    assert_eq!(events.mark().await.unwrap(), appended.position());
    assert_eq!(places(&everything(events).await), [("a", 1, "1"), ("a", 2, "1"), ("a", 3, "3")]);
}

/// Streams change together or not at all; one may come twice, and its second part sees the first.
pub async fn several_streams_change_together_or_not_at_all(store: &impl Appending) {
    let events = store.events();
    let part =
        |stream: &str, expected, ids: &[&str]| StreamAppend::new(stream, expected, ids.iter().map(|id| event(id)));
    let all = vec![
        part("a", ExpectedVersion::NoStream, &["1", "2"]),
        part("b", ExpectedVersion::NoStream, &["3"]),
        part("a", ExpectedVersion::Exact(2), &["4"]),
        part("c", ExpectedVersion::NoStream, &[]),
    ];
    let appended = events.append_all(all).await.unwrap();
    let versions = ["a", "b", "c", "d"].map(|stream| appended.version_of(&stream.into()));
    assert_eq!(versions, [Some(3), Some(1), Some(0), None]);
    let one_is_wrong =
        vec![part("b", ExpectedVersion::Exact(1), &["5"]), part("a", ExpectedVersion::NoStream, &["6"])];
    let error = events.append_all(one_is_wrong).await.unwrap_err();
    assert!(matches!(&error, AppendError::Conflict { stream, actual: 3, .. } if stream.as_str() == "a"), "{error}");
    let only_expected =
        vec![part("b", ExpectedVersion::Exact(1), &["5"]), part("a", ExpectedVersion::Exact(9), &[])];
    assert!(matches!(events.append_all(only_expected).await, Err(AppendError::Conflict { actual: 3, .. })));
    assert_eq!(places(&everything(events).await), [("a", 1, "1"), ("a", 2, "2"), ("b", 1, "3"), ("a", 3, "4")]);
}

/// An append of nothing says where the stream stands, if it is as expected.
pub async fn an_append_of_nothing_says_where_the_stream_stands(store: &impl Appending) {
    let events = store.events();
    events.append("a", ExpectedVersion::Any, [event("1"), event("2")]).await.unwrap();
    let appended = events.append("a", ExpectedVersion::Exact(2), []).await.unwrap();
    assert_eq!((appended.position(), appended.stream_version()), (Position::START, 2));
    assert!(matches!(
        events.append("a", ExpectedVersion::NoStream, []).await,
        Err(AppendError::Conflict { actual: 2, .. })
    ));
    let nothing = events.append_all(vec![]).await.unwrap();
    assert_eq!((nothing.position(), nothing.stream_version()), (Position::START, 0));
}

/// What was undone leaves nothing, and holds nothing back for long.
pub async fn what_was_undone_leaves_nothing(store: &impl Appending) {
    let events = store.events();
    events.append("a", ExpectedVersion::Any, [event("1")]).await.unwrap();
    store.append_in_vain("a", vec![event("2"), event("3")]).await;
    let appended = events.append("a", ExpectedVersion::Exact(1), [event("2")]).await.unwrap();
    let mut reader = Reader::default();
    reader.until(events, |seen| seen.last().is_some_and(|last| last.position == appended.position())).await;
    let seen: Vec<_> = reader.seen().iter().map(|seen| (&*seen.id, seen.stream_version)).collect();
    assert_eq!(seen, [("1", 1), ("2", 2)]);
}

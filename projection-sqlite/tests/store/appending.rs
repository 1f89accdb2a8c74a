use std::time::Duration;

use projection_core::append::{AppendError, AppendEvents as _, ExpectedVersion, NewEvent};
use projection_core::{
    ErrorKind, EventRef, EventStore as _, Filter, Position, StoreError,
    store::{EventPage as _, RawEvent as _, Window},
};
use projection_sqlite::SqliteStore;
use tokio::time::timeout;

use crate::support::{File, event};

async fn positions(store: &SqliteStore) -> Vec<(i64, String, u64)> {
    let events = store.events();
    let window = Window { after: Position::START, up_to: events.mark().await.unwrap() };
    let page = events.read(window, &Filter::all(), usize::MAX).await.unwrap();
    assert_eq!(page.covers(), window.up_to);
    let place = |metadata: projection_core::EventMetadata| {
        (metadata.position().as_i64(), metadata.stream_id().to_string(), metadata.stream_version())
    };
    page.events().map(|event| place(event.metadata())).collect()
}

#[tokio::test]
async fn positions_and_versions_run_from_one_without_gaps() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let events = store.events();
    let appended = events.append("a", ExpectedVersion::NoStream, [event("1"), event("2")]).await.unwrap();
    assert_eq!((appended.position(), appended.stream_version()), (Position::from(2), 2));
    events.append("b", ExpectedVersion::Any, [event("3")]).await.unwrap();
    let appended = events.append("a", ExpectedVersion::Exact(2), [event("4")]).await.unwrap();
    assert_eq!((appended.position(), appended.stream_version()), (Position::from(4), 3));
    let found = positions(&store).await;
    let found: Vec<_> = found.iter().map(|(at, stream, version)| (*at, stream.as_str(), *version)).collect();
    assert_eq!(found, [(1, "a", 1), (2, "a", 2), (3, "b", 1), (4, "a", 3)]);
}

#[tokio::test]
async fn another_version_than_expected_is_a_conflict_that_names_both() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let events = store.events();
    events.append("a", ExpectedVersion::Any, [event("1"), event("2")]).await.unwrap();
    for (expected, words) in [(ExpectedVersion::NoStream, "no stream"), (ExpectedVersion::Exact(1), "version 1")] {
        let error = events.append("a", expected, [event("3")]).await.unwrap_err();
        assert!(matches!(&error, AppendError::Conflict { actual: 2, expected: found, .. } if *found == expected));
        let message = format!("stream `a` has version 2, and {words} was expected: load it again and decide anew");
        assert_eq!(error.to_string(), message);
        assert_eq!(StoreError::from(error).kind(), ErrorKind::Conflict);
    }
    let error = events.append("b", ExpectedVersion::Exact(1), [event("3")]).await.unwrap_err();
    assert!(matches!(error, AppendError::Conflict { actual: 0, .. }));
    assert_eq!(positions(&store).await.len(), 2);
}

// spec: P24
#[tokio::test]
async fn an_event_whose_source_and_id_are_there_is_refused_with_all_of_its_append() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let events = store.events();
    let of = |source: &str, id: &str| event(id).with_source(source);
    events.append("a", ExpectedVersion::Any, [of("s", "1"), of("t", "1")]).await.unwrap();
    let error = events.append("a", ExpectedVersion::Any, [of("s", "2"), of("s", "1")]).await.unwrap_err();
    assert!(matches!(&error, AppendError::Duplicate(event) if *event == EventRef::new("s", "1")));
    assert!(events.append("a", ExpectedVersion::Any, [of("s", "3"), of("s", "3")]).await.is_err());
    let appended = events.append("a", ExpectedVersion::Any, [of("s", "2")]).await.unwrap();
    assert_eq!((appended.position(), appended.stream_version()), (Position::from(3), 3));
}

#[tokio::test]
async fn data_that_is_no_json_is_refused_naming_the_event() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let bad = NewEvent::from_json("X", "{").with_id("1").with_source("s");
    let error = store.events().append("a", ExpectedVersion::Any, [event("0"), bad]).await.unwrap_err();
    assert!(error.to_string().starts_with("event 1 of s cannot be stored: its data is no JSON"), "{error}");
    assert!(positions(&store).await.is_empty());
}

#[tokio::test]
async fn an_append_of_nothing_says_where_the_stream_stands() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let events = store.events();
    events.append("a", ExpectedVersion::Any, [event("1"), event("2")]).await.unwrap();
    let appended = events.append("a", ExpectedVersion::Exact(2), []).await.unwrap();
    assert_eq!((appended.position(), appended.stream_version()), (Position::START, 2));
}

#[tokio::test]
async fn events_and_a_table_of_the_user_change_in_one_transaction() {
    let file = File::new();
    let events = file.open().await.events();
    let mut connection = file.plain();
    connection.execute_batch("CREATE TABLE stock (sku TEXT, pieces INTEGER)").unwrap();
    {
        let mut transaction = connection.transaction().unwrap();
        transaction.execute("INSERT INTO stock VALUES ('a', 1)", []).unwrap();
        events.append_in(&mut transaction, "a", ExpectedVersion::NoStream, [event("1")]).unwrap();
    }
    assert_eq!(events.mark().await.unwrap(), Position::START);

    let mut transaction = connection.transaction().unwrap();
    transaction.execute("INSERT INTO stock VALUES ('a', 1)", []).unwrap();
    events.append_in(&mut transaction, "a", ExpectedVersion::NoStream, [event("1")]).unwrap();
    let twice = events.append_in(&mut transaction, "a", ExpectedVersion::Any, [event("2"), event("1")]);
    assert!(matches!(twice, Err(AppendError::Duplicate(_))));
    transaction.commit().unwrap();
    assert_eq!(events.mark().await.unwrap(), Position::from(1));
    let rows: i64 = connection.query_row("SELECT count(*) FROM stock", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 1);
}

#[tokio::test]
async fn a_page_ends_at_sixteen_mebibytes_and_says_how_far_it_goes() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let events = store.events();
    let text = serde_json::to_string(&"x".repeat(6 << 20)).unwrap();
    let large = |id: &str| NewEvent::from_json("X", text.as_str()).with_id(id);
    events.append("a", ExpectedVersion::Any, ["1", "2", "3", "4"].map(large)).await.unwrap();
    let huge = serde_json::to_string(&"x".repeat(20 << 20)).unwrap();
    events.append("a", ExpectedVersion::Any, [NewEvent::from_json("X", huge)]).await.unwrap();
    let mut pages = Vec::new();
    let (mut after, up_to) = (Position::START, events.mark().await.unwrap());
    while after < up_to {
        let page = events.read(Window { after, up_to }, &Filter::all(), 100).await.unwrap();
        after = page.covers();
        pages.push((page.events().count(), after.as_i64()));
    }
    assert_eq!(pages, [(2, 2), (2, 4), (1, 5)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_append_that_nobody_waits_for_any_more_is_done_whole_or_not_at_all() {
    let file = File::new();
    let store = file.open().await;
    for round in 0..100 {
        let ten: Vec<_> = (0..10).map(|n| event(&format!("{round}-{n}"))).collect();
        let events = store.events();
        let append = events.append("a", ExpectedVersion::Any, ten);
        let _ = timeout(Duration::from_micros(round * 20), append).await;
    }
    let last = store.events().append("b", ExpectedVersion::NoStream, [event("last")]).await.unwrap();
    let found = positions(&store).await;
    assert_eq!(found.len() as u64, last.position().as_u64());
    assert_eq!((found.len() - 1) % 10, 0);
}

#[tokio::test]
async fn a_filter_finds_names_and_streams_with_any_characters() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let events = store.events();
    let odd = ["", "a\0b", "a\0c", "\"'\\", "\u{1}\u{7f}", "ä\u{2028}😀"];
    for name in odd {
        events.append(name, ExpectedVersion::NoStream, [NewEvent::from_json(name, "{}")]).await.unwrap();
    }
    let window = Window { after: Position::START, up_to: events.mark().await.unwrap() };
    for (name, position) in odd.into_iter().zip(1..) {
        for filter in [Filter::all().with_names([name]), Filter::all().with_streams([name])] {
            let page = events.read(window, &filter, 9).await.unwrap();
            let found: Vec<_> = page.events().map(|event| event.position().as_i64()).collect();
            assert_eq!(found, [position], "{name:?}");
        }
    }
}

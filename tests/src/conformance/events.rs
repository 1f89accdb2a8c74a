//! An event store: marks, pages, filters, places.

use async_trait::async_trait;
use projection_core::{
    ErrorKind, EventRef, EventStore, Filter, Position,
    store::{EventPage, RawEvent, Window},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// An event of the suite. Its position is its place in the list, from 1.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The stream.
    pub stream: &'static str,
    /// The name.
    pub name: &'static str,
    /// The data.
    pub n: i64,
}

impl Sample {
    /// The id of the event at a position.
    #[must_use]
    pub fn id(position: usize) -> String {
        format!("e-{position}")
    }

    /// The source of each event.
    pub const SOURCE: &'static str = "suite";

    /// The time of each event.
    #[must_use]
    pub fn time() -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp_nanos(1_357_034_400_123_000_000).unwrap()
    }
}

/// The data of an event of the suite.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Data {
    /// A number.
    pub n: i64,
}

/// Makes a store that holds some events.
#[async_trait]
pub trait WithEvents {
    /// The store.
    type Store: EventStore;

    /// A new store with these events.
    async fn holding(&self, samples: &[Sample]) -> Self::Store;
}

const SAMPLES: [Sample; 6] = [
    Sample { stream: "a", name: "X", n: 1 },
    Sample { stream: "b", name: "Y", n: 2 },
    Sample { stream: "a", name: "Y", n: 3 },
    Sample { stream: "c", name: "X", n: 4 },
    Sample { stream: "b", name: "X", n: 5 },
    Sample { stream: "a", name: "Z", n: 6 },
];

fn window(after: u32, up_to: u32) -> Window {
    Window { after: Position::from(after), up_to: Position::from(up_to) }
}

async fn read(store: &impl EventStore, window: Window, filter: &Filter, limit: usize) -> (Vec<i64>, i64) {
    let page = store.read(window, filter, limit).await.unwrap();
    let positions = page.events().map(|event| event.position().as_i64()).collect();
    (positions, page.covers().as_i64())
}

/// The mark is the position of the last event; an empty store is at the start.
pub async fn the_mark_is_the_last_position(stores: &impl WithEvents) {
    assert_eq!(stores.holding(&[]).await.mark().await.unwrap(), Position::START);
    assert_eq!(stores.holding(&SAMPLES).await.mark().await.unwrap(), Position::from(6));
}

/// An empty store has an empty page.
pub async fn an_empty_store_has_an_empty_page(stores: &impl WithEvents) {
    let store = stores.holding(&[]).await;
    assert_eq!(read(&store, window(0, 0), &Filter::all(), 10).await, (vec![], 0));
    assert_eq!(read(&store, window(0, 9), &Filter::all(), 10).await, (vec![], 9));
}

// spec: B13
/// A full page covers up to its last event, a short one the whole window.
pub async fn a_page_says_how_far_it_goes(stores: &impl WithEvents) {
    let store = stores.holding(&SAMPLES).await;
    let all = Filter::all();
    assert_eq!(read(&store, window(0, 6), &all, 4).await, (vec![1, 2, 3, 4], 4));
    assert_eq!(read(&store, window(4, 6), &all, 4).await, (vec![5, 6], 6));
    assert_eq!(read(&store, window(0, 6), &all, 6).await, (vec![1, 2, 3, 4, 5, 6], 6));
    assert_eq!(read(&store, window(1, 3), &all, 9).await, (vec![2, 3], 3));
    assert_eq!(read(&store, window(6, 6), &all, 9).await, (vec![], 6));
    let only_z = Filter::all().with_names(["Z"]);
    assert_eq!(read(&store, window(0, 5), &only_z, 9).await, (vec![], 5));
}

/// Names and streams narrow what is read, alone and together; an empty set lets nothing pass.
pub async fn a_filter_is_honoured(stores: &impl WithEvents) {
    let store = stores.holding(&SAMPLES).await;
    let everything = window(0, 6);
    let read = async |filter: Filter| read(&store, everything, &filter, 9).await.0;
    assert_eq!(read(Filter::all().with_names(["X"])).await, [1, 4, 5]);
    assert_eq!(read(Filter::all().with_names(["X", "Z"])).await, [1, 4, 5, 6]);
    assert_eq!(read(Filter::all().with_streams(["a"])).await, [1, 3, 6]);
    assert_eq!(read(Filter::all().with_streams(["a", "b"]).with_names(["X"])).await, [1, 5]);
    assert_eq!(read(Filter::all().with_names(["nobody"])).await, [0; 0]);
    assert_eq!(read(Filter::all().with_names([""; 0])).await, [0; 0]);
}

/// Pages one after another give each event once, whatever their size.
pub async fn pages_of_any_size_give_each_event_once(stores: &impl WithEvents) {
    let samples: Vec<_> = SAMPLES.iter().cycle().take(250).cloned().collect();
    let store = stores.holding(&samples).await;
    let filter = Filter::all().with_names(["X", "Y"]);
    let expected: Vec<_> = (1..).zip(&samples).filter(|(_, sample)| sample.name != "Z").map(|(at, _)| at).collect();
    for limit in [1, 7, 100, 249, 250, 1000] {
        let mut found: Vec<i64> = Vec::new();
        let mut after = Position::START;
        let up_to = store.mark().await.unwrap();
        while after < up_to {
            let page = store.read(Window { after, up_to }, &filter, limit).await.unwrap();
            assert!(page.events().count() <= limit);
            assert!(page.covers() > after, "a page that goes nowhere");
            found.extend(page.events().map(|event| event.position().as_i64()));
            after = page.covers();
        }
        assert_eq!(found, expected, "limit {limit}");
    }
}

/// An event has its data and all that is known of it.
pub async fn an_event_has_its_data_and_metadata(stores: &impl WithEvents) {
    let store = stores.holding(&SAMPLES).await;
    let page = store.read(window(0, 6), &Filter::all(), 9).await.unwrap();
    for ((event, sample), place) in page.events().zip(&SAMPLES).zip(1..) {
        assert_eq!(event.decode::<Data>().unwrap(), Data { n: sample.n });
        assert_eq!(event.name(), sample.name);
        assert!(event.size() > 0);
        let metadata = event.metadata();
        assert_eq!(metadata.name(), sample.name);
        assert_eq!(metadata.position(), event.position());
        assert_eq!(metadata.stream_id().as_str(), sample.stream);
        assert_eq!(metadata.event(), &EventRef::new(Sample::SOURCE, Sample::id(place)));
        assert_eq!(metadata.time(), Some(Sample::time()));
    }
    let versions: Vec<_> = page.events().map(|event| event.metadata().stream_version()).collect();
    assert_eq!(versions, [1, 1, 2, 1, 2, 3]);
}

/// Data that does not fit is poison, and the page goes on.
pub async fn data_that_does_not_fit_is_poison(stores: &impl WithEvents) {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "never decoded")]
    struct Other {
        text: String,
    }
    let store = stores.holding(&SAMPLES).await;
    let page = store.read(window(0, 1), &Filter::all(), 9).await.unwrap();
    let event = page.events().next().unwrap();
    let error = event.decode::<Other>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Poison);
    assert!(error.to_string().contains("missing field `text`"), "{error}");
    assert_eq!(event.decode::<Data>().unwrap(), Data { n: 1 });
}

// spec: P24
/// Events are found by source and id, in the order asked.
pub async fn events_are_located_by_source_and_id(stores: &impl WithEvents) {
    let store = stores.holding(&SAMPLES).await;
    let ask = |source: &str, id: &str| EventRef::new(source, id);
    let asked = [
        ask("suite", "e-3"),
        ask("other", "e-3"),
        ask("suite", "nobody"),
        ask("suite", "e-1"),
        ask("suite", "e-3"),
    ];
    let found: Vec<_> =
        store.locate(&asked).await.unwrap().into_iter().map(|found| found.map(Position::as_i64)).collect();
    assert_eq!(found, [Some(3), None, None, Some(1), Some(3)]);
    assert!(store.locate(&[]).await.unwrap().is_empty());
}

/// The position before the first event of a time; the mark where none is so late.
pub async fn a_time_says_where_to_begin(stores: &impl WithEvents) {
    let store = stores.holding(&SAMPLES).await;
    let before = async |time| store.before(time).await.unwrap();
    assert_eq!(before(Sample::time()).await, Position::START);
    assert_eq!(before(Sample::time() - time::Duration::days(1)).await, Position::START);
    assert_eq!(before(Sample::time() + time::Duration::milliseconds(1)).await, Position::from(6));
    assert_eq!(stores.holding(&[]).await.before(Sample::time()).await.unwrap(), Position::START);
}

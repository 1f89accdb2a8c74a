//! Appenders side by side that get into each other's way and undo what they did, and a reader beside them.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use projection_core::append::{AppendError, AppendEvents, ExpectedVersion, NewEvent, StreamAppend};
use tokio::task::JoinSet;

use super::{Appending, Reader, event};

/// What appenders have appended.
#[derive(Debug, Clone, Default)]
pub struct Appenders {
    acknowledged: Arc<Mutex<BTreeSet<String>>>,
}

impl Appenders {
    /// The ids of the events that were acknowledged.
    #[must_use]
    pub fn acknowledged(&self) -> BTreeSet<String> {
        self.acknowledged.lock().unwrap().clone()
    }

    /// One appender: it appends to streams that others append to as well, with and without an expectation, to several at
    /// once, what is there already, and in vain.
    pub async fn run(self, store: impl Appending, me: usize, rounds: usize) {
        let events = store.events();
        let hot = format!("hot-{}", me % 3);
        for round in 0..rounds {
            let id = |n: usize| format!("{me}-{round}-{n}");
            let some = |count: usize| (0..count).map(|n| event(&id(n))).collect::<Vec<_>>();
            match (me + round) % 6 {
                0 => self.append(events, vec![part(&hot, ExpectedVersion::Any, some(2))]).await,
                1 => {
                    // Others may have appended since.
                    let version = version(events, "hot-0").await;
                    self.append(events, vec![part("hot-0", ExpectedVersion::Exact(version), some(1))]).await;
                }
                2 => store.append_in_vain(&hot, some(3)).await,
                3 => {
                    let mine = part(&format!("own-{me}"), ExpectedVersion::Any, some(1));
                    let other = part("hot-1", ExpectedVersion::Any, vec![event(&id(7))]);
                    self.append(events, vec![mine, other]).await;
                }
                4 => {
                    let mut twice = some(2);
                    twice.extend(self.acknowledged().first().map(|there| event(there)));
                    self.append(events, vec![part(&hot, ExpectedVersion::Any, twice)]).await;
                }
                _ => self.append(events, vec![part(&id(0), ExpectedVersion::NoStream, some(1))]).await,
            }
        }
    }

    async fn append(&self, events: &impl AppendEvents, parts: Vec<StreamAppend>) {
        let ids: Vec<_> = parts.iter().flat_map(|part| &part.events).map(id_of).collect();
        match events.append_all(parts).await {
            Ok(_) => self.acknowledged.lock().unwrap().extend(ids),
            Err(AppendError::Conflict { .. } | AppendError::Duplicate(_)) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

fn part(stream: &str, expected: ExpectedVersion, events: Vec<NewEvent>) -> StreamAppend {
    StreamAppend::new(stream, expected, events)
}

fn id_of(event: &NewEvent) -> String {
    event.event(&projection_core::store::SourceName::default()).id.to_string()
}

async fn version(events: &impl AppendEvents, stream: &str) -> u64 {
    use projection_core::store::{EventPage as _, RawEvent as _};
    let page = events.read_stream(&stream.into(), 0, 10_000).await.unwrap();
    page.events().last().map_or(0, |last| last.metadata().stream_version())
}

// spec: H1, H2
/// A reader beside eight appenders sees every event that was committed once, in position order, and nothing else; the
/// order of positions agrees with the order inside each stream.
pub async fn appenders_side_by_side_are_read_once_each_and_in_order(store: &impl Appending) {
    let appenders = Appenders::default();
    let mut running = JoinSet::new();
    for me in 0..8 {
        running.spawn(appenders.clone().run(store.clone(), me, 24));
    }
    let mut reader = Reader::default();
    while !running.is_empty() {
        while let Some(done) = running.try_join_next() {
            done.unwrap();
        }
        reader.read(store.events()).await;
        tokio::task::yield_now().await;
    }
    let acknowledged = appenders.acknowledged();
    reader.until(store.events(), |seen| seen.len() >= acknowledged.len()).await;
    let seen: Vec<_> = reader.seen().iter().map(|seen| seen.id.clone()).collect();
    assert_eq!(seen.len(), acknowledged.len(), "an event was seen twice, or one that was not committed");
    assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), acknowledged);
    reader.check_order();
}

//! A reader as the runtime is one: up to the mark, page by page, never back.

use std::time::{Duration, Instant};

use projection_core::{
    EventStore, Filter, Position, StoreError, StreamId,
    store::{EventPage as _, RawEvent as _, Window},
};

/// How long anything may take.
const LIMIT: Duration = Duration::from_secs(60);

/// What was seen of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its position.
    pub position: Position,
    /// Its stream.
    pub stream: StreamId,
    /// Its place in it.
    pub stream_version: u64,
    /// Its id.
    pub id: String,
}

/// Reads a store while it is appended to.
#[derive(Debug, Default)]
pub struct Reader {
    at: Position,
    seen: Vec<Seen>,
}

impl Reader {
    /// What was read, in that order.
    #[must_use]
    pub fn seen(&self) -> &[Seen] {
        &self.seen
    }

    /// Reads what is there up to the mark.
    pub async fn read(&mut self, events: &impl EventStore) {
        self.try_read(events).await.unwrap();
    }

    /// The same where the store may be away; what was read before an error stays read.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub async fn try_read(&mut self, events: &impl EventStore) -> Result<(), StoreError> {
        let up_to = events.mark().await?;
        assert!(up_to >= self.at, "the mark went back from {} to {up_to}", self.at);
        while self.at < up_to {
            let page = events.read(Window { after: self.at, up_to }, &Filter::all(), 7).await?;
            for event in page.events() {
                let metadata = event.metadata();
                self.seen.push(Seen {
                    position: metadata.position(),
                    stream: metadata.stream_id().clone(),
                    stream_version: metadata.stream_version(),
                    id: metadata.id().to_owned(),
                });
            }
            self.at = page.covers();
        }
        Ok(())
    }

    /// Reads until this holds.
    pub async fn until(&mut self, events: &impl EventStore, mut done: impl FnMut(&[Seen]) -> bool) {
        let since = Instant::now();
        loop {
            self.read(events).await;
            if done(&self.seen) {
                return;
            }
            assert!(since.elapsed() < LIMIT, "the mark stays at {}: {:?}", self.at, events.held_by().await);
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// In position order, and in each stream in the order of versions, without a gap.
    pub fn check_order(&self) {
        assert!(self.seen.is_sorted_by(|a, b| a.position < b.position));
        let mut versions = std::collections::HashMap::<&StreamId, u64>::new();
        for seen in &self.seen {
            let version = versions.entry(&seen.stream).or_default();
            *version += 1;
            assert_eq!(*version, seen.stream_version, "{seen:?}");
        }
    }
}

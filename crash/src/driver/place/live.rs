//! A store of events for one run, whose first half is there before the run begins.

use std::path::{Path, PathBuf};

use anyhow::Result;
use flights::history::FlightHistory;
use projection_core::{
    EventStore, Filter, Position,
    append::AppendEvents,
    store::{EventPage as _, RawEvent as _, Window},
};

use crate::{
    args::RunArgs,
    driver::history,
    order::Live,
    writing::{self, Pace},
};

/// How many events are compared at once.
const PAGE: usize = 10_000;

/// The flights that are appended in each run.
#[derive(Debug)]
pub(crate) struct Traffic {
    data: PathBuf,
    history: FlightHistory,
}

impl Traffic {
    /// Where it was asked for.
    pub(super) fn of(args: &RunArgs) -> Result<Option<Self>> {
        if !args.live {
            return Ok(None);
        }
        Ok(Some(Self { data: args.data.clone(), history: history::read(&args.data)? }))
    }

    /// The first half of the events.
    pub(super) async fn begin<E: AppendEvents>(&self, events: &E) -> Result<()> {
        writing::append(events, &self.history, standing(self.history.len()), Pace::AllAtOnce).await?;
        Ok(())
    }

    /// Compares what is stored with what was to be appended, event by event: the first that is lost, there twice, or in
    /// another place.
    pub(super) async fn check<E: EventStore>(&self, events: &E) -> Result<Option<String>> {
        let mark = events.mark().await?;
        let (mut after, mut expected) = (Position::START, self.history.events());
        while after < mark {
            let page = events.read(Window { after, up_to: mark }, &Filter::all(), PAGE).await?;
            for found in page.events() {
                let (found, should) = (found.metadata(), expected.next());
                let should = should.as_ref().map_or("the end", |should| should.metadata.id());
                if found.id() != should {
                    let at = found.position();
                    return Ok(Some(format!("the event at {at} is {}, and should be {should}", found.id())));
                }
            }
            after = page.covers();
        }
        Ok(expected.next().map(|lost| format!("the event {} was never appended", lost.metadata.id())))
    }

    /// What the processes of a run are told of it; `done` is the file that says that all is appended.
    pub(super) fn order(&self, seed: u64, done: &Path) -> Live {
        Live { data: self.data.clone(), seed, done: done.to_owned() }
    }
}

/// How many of the events are there before a run begins.
pub(crate) fn standing(events: u64) -> u64 {
    events / 2
}

#[cfg(test)]
mod tests {
    use flights::input;
    use projection_core::{append::ExpectedVersion, memory::InMemoryEventStore};

    use super::*;

    const WEEK: &str = include_str!("../../../../examples/flights/data/flights-2013-01-01-to-07.csv");

    fn traffic() -> Traffic {
        let flights = WEEK.lines().take(100).collect::<Vec<_>>().join("\n");
        Traffic { data: PathBuf::new(), history: input::read(flights.as_bytes(), drop).unwrap() }
    }

    async fn append(events: &InMemoryEventStore, traffic: &Traffic, up_to: u64) {
        writing::append(events, &traffic.history, up_to, Pace::Live { seed: up_to }).await.unwrap();
    }

    #[tokio::test]
    async fn what_was_broken_off_is_gone_on_with_so_that_each_event_is_there_once() {
        let (events, traffic) = (InMemoryEventStore::new(), traffic());
        traffic.begin(&events).await.unwrap();
        let all = traffic.history.len();
        for up_to in [all / 2 + 10, all / 2 + 11, all - 1] {
            append(&events, &traffic, up_to).await;
            let lost = traffic.check(&events).await.unwrap().unwrap();
            assert!(lost.ends_with("was never appended"), "{lost}");
        }
        append(&events, &traffic, all).await;
        assert_eq!(traffic.check(&events).await.unwrap(), None);
    }

    #[tokio::test]
    async fn an_event_that_is_there_twice_or_left_out_is_named() {
        let (events, traffic) = (InMemoryEventStore::new(), traffic());
        append(&events, &traffic, 1).await;
        let first = traffic.history.events().next().unwrap();
        let again = first.to_new().unwrap().with_id("again");
        events.append(first.metadata.stream_id().clone(), ExpectedVersion::Any, [again]).await.unwrap();
        let wrong = traffic.check(&events).await.unwrap().unwrap();
        assert!(wrong.starts_with("the event at 2 is again, and should be "), "{wrong}");

        let events = InMemoryEventStore::new();
        let third = traffic.history.events().nth(2).unwrap();
        events
            .append(third.metadata.stream_id().clone(), ExpectedVersion::Any, [third.to_new().unwrap()])
            .await
            .unwrap();
        let wrong = traffic.check(&events).await.unwrap().unwrap();
        assert!(wrong.starts_with("the event at 1 is "), "{wrong}");
    }
}

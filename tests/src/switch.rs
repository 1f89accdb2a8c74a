//! Writers at full speed while a view switches from its history to live: nothing is lost, doubled or reordered.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use fastrand::Rng;
use projection_core::{
    Event, EventStore, Filter, MaterializedViewOptionsBuilder, Position, ProjectionRuntime, RetryStrategy,
    ViewStore,
    append::{AppendEvents, AppendToken, ExpectedVersion, NewEvent},
    projection,
    store::{EventPage as _, RawEvent as _, Window},
};
use serde::{Deserialize, Serialize};

/// An entry for one log.
#[derive(Debug, Clone, Serialize, Deserialize, Event)]
#[event(name = "Written")]
struct Written {
    log: String,
    entry: String,
}

/// The entries of one log, in the order they came: an order that is lost shows.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Log {
    entries: Vec<String>,
}

#[projection(name = "logs", id = String, key = event.log)]
impl Log {
    #[on]
    fn written(&mut self, event: &Written) {
        self.entries.push(event.entry.clone());
    }
}

const WRITERS: u64 = 3;
const LOGS: u64 = 3;
/// How many appends a writer makes.
const APPENDS: u64 = 12;
/// Longer than any outage of a test.
const LIMIT: Duration = Duration::from_secs(60);

/// Appends a part of the history, starts a view while writers go on, and compares it with the store, once all is applied.
///
/// # Panics
///
/// When the view is not exactly the store's events, in their order.
pub async fn writers_over_the_switch<S, V>(events: &S, views: &V, seed: u64)
where
    S: AppendEvents + Clone,
    V: ViewStore + Clone,
{
    let mut rng = Rng::with_seed(seed);
    let history = rng.u64(0..20);
    write(events.clone(), rng.fork(), "before".to_owned(), history).await;

    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| tokio::spawn(write(events.clone(), rng.fork(), format!("w{writer}"), APPENDS)))
        .collect();
    pause(&mut rng).await;
    let runtime = start(events, views, &mut rng).await;
    pause(&mut rng).await;
    if rng.u8(0..4) == 0 {
        // A view that is stopped in the middle goes on where it was.
        runtime.pause("logs").await.unwrap();
        pause(&mut rng).await;
        runtime.resume("logs").unwrap();
    }
    let mut appends = history;
    for writer in writers {
        let tokens = writer.await.unwrap();
        appends += tokens.len() as u64;
        for token in tokens {
            runtime.applied::<Log>(&token, LIMIT).await.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
    }

    let expected = read_back(events).await;
    let count: usize = expected.values().map(Vec::len).sum();
    assert!(count as u64 >= appends, "seed {seed}: an append that was acknowledged is not in the store");
    let view = runtime.view::<Log>().unwrap();
    for (log, entries) in expected {
        let found = view.find(&log).await.unwrap().unwrap_or_default();
        assert_eq!(found.entries, entries, "seed {seed}, log {log}");
    }
    runtime.shutdown().await;
}

/// Starts the view, again and again if the server is away just then.
async fn start<S, V>(events: &S, views: &V, rng: &mut Rng) -> ProjectionRuntime
where
    S: AppendEvents + Clone,
    V: ViewStore + Clone,
{
    let (batch_size, budget) = (rng.usize(1..20), rng.bool());
    let configure = move |options: MaterializedViewOptionsBuilder| {
        let retry = RetryStrategy::exponential(Duration::from_millis(5), Duration::from_millis(200));
        let options = options.batch_size(batch_size + usize::from(budget)).retry(retry);
        if budget { options.memory_budget(1 << 20) } else { options }
    };
    let began = Instant::now();
    loop {
        let runtime = ProjectionRuntime::builder(events.clone(), views.clone()).register_with::<Log>(configure);
        match runtime.poll_interval(Duration::from_millis(20)).start().await {
            Ok(runtime) => return runtime,
            Err(error) if began.elapsed() > LIMIT => panic!("{error}"),
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Appends to streams that others append to, too; each append is one event for a log, or several for some.
async fn write(events: impl AppendEvents, mut rng: Rng, writer: String, appends: u64) -> Vec<AppendToken> {
    let mut tokens = Vec::new();
    for append in 0..appends {
        let written = (0..rng.u64(1..4)).map(|n| {
            let entry = format!("{writer}-{append}-{n}");
            let event = Written { log: format!("log-{}", rng.u64(0..LOGS)), entry: entry.clone() };
            NewEvent::new(&event).unwrap().with_id(entry)
        });
        let written: Vec<_> = written.collect();
        let stream = format!("stream-{}", rng.u64(0..2));
        // The same events again settle an outage.
        let mut tries = 0;
        loop {
            let appended = events.append(stream.as_str(), ExpectedVersion::Any, written.clone()).await;
            match appended {
                Ok(appended) => tokens.push(appended.token().clone()),
                Err(projection_core::append::AppendError::Duplicate(_)) if tries > 0 => {}
                Err(error) if tries < 100 => {
                    assert!(!matches!(error, projection_core::append::AppendError::Unstorable { .. }), "{error}");
                    tries += 1;
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
                Err(error) => panic!("{error}"),
            }
            break;
        }
        pause(&mut rng).await;
    }
    tokens
}

/// Nothing, a turn, or a short while.
async fn pause(rng: &mut Rng) {
    match rng.u8(0..8) {
        0..4 => {}
        4..7 => tokio::task::yield_now().await,
        _ => tokio::time::sleep(Duration::from_micros(rng.u64(0..2000))).await,
    }
}

/// The entries of each log, by the store's own order.
async fn read_back(events: &impl EventStore) -> BTreeMap<String, Vec<String>> {
    let mut logs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut after, up_to) = (Position::START, events.mark().await.unwrap());
    while after < up_to {
        let page = events.read(Window { after, up_to }, &Filter::all(), 1000).await.unwrap();
        for event in page.events() {
            let Written { log, entry } = event.decode().unwrap();
            logs.entry(log).or_default().push(entry);
        }
        after = page.covers();
    }
    logs
}

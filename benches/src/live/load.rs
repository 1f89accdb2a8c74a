//! Latency, lag and round trips while events come at a steady rate.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Result;
use futures::future::try_join_all;
use projection_core::{
    EventStore as _, ProjectionRuntime,
    append::{AppendEvents as _, AppendToken, ExpectedVersion, NewEvent},
};
use projection_mongo::MongoEvents;
use serde::Serialize;
use tokio::task::JoinSet;

use super::{Times, idle::milliseconds};
use crate::{
    account::{Account, Deposited},
    mongo::Server,
};

#[derive(Debug, Serialize)]
pub(super) struct Load {
    /// Events appended a second.
    pub(super) rate: f64,
    /// How many events the view was behind, when it was looked at.
    pub(super) lag_median: f64,
    pub(super) lag_most: f64,
    /// From an append's return to the view, in milliseconds.
    pub(super) latency_ms: Times,
    /// What the runtime sent, for each event.
    pub(super) round_trips: f64,
}

const WRITERS: u32 = 4;
/// Events in one append: a transaction that records several.
const TOGETHER: u32 = 10;
const LIMIT: Duration = Duration::from_secs(60);
/// One append in so many is waited for.
const WAITED_FOR: u32 = 10;
/// How often the lag is looked at.
const LOOK: Duration = Duration::from_millis(100);

pub(super) async fn measure(
    events: &MongoEvents,
    runtime: &Arc<ProjectionRuntime>,
    reading: &Server,
    rate: u32,
    seconds: u32,
) -> Result<Load> {
    let sent = || reading.sent().map_or(0, |sent| sent.round_trips);
    let (sent_before, began) = (sent(), Instant::now());
    let end = began + Duration::from_secs(seconds.into());
    let writers = (0..WRITERS).map(|writer| write(events, runtime, writer, rate, end));
    let (written, lags) = tokio::try_join!(try_join_all(writers), lags(runtime, events, end))?;
    let appended = f64::from(written.iter().map(|(appends, _)| appends * TOGETHER).sum::<u32>());
    Ok(Load {
        rate: appended / began.elapsed().as_secs_f64(),
        lag_median: Times::of(lags.clone()).median,
        lag_most: lags.into_iter().fold(0.0, f64::max),
        latency_ms: Times::of(written.into_iter().flat_map(|(_, times)| times).collect()),
        round_trips: (sent() - sent_before) as f64 / appended,
    })
}

/// Appends at its share of the rate; some of its appends are waited for, beside the next ones.
async fn write(
    events: &MongoEvents,
    runtime: &Arc<ProjectionRuntime>,
    writer: u32,
    rate: u32,
    end: Instant,
) -> Result<(u32, Vec<f64>)> {
    let every = Duration::from_secs(1) * WRITERS * TOGETHER / rate;
    let began = Instant::now();
    let (mut appends, mut waited_for) = (0, JoinSet::new());
    while Instant::now() < end {
        tokio::time::sleep_until((began + every * appends).into()).await;
        let some = (0..TOGETHER).map(|n| {
            let account = i64::from(writer * 10_000 + (appends * TOGETHER + n) % 1_000);
            NewEvent::new(&Deposited { account, cents: 1, memo: "a memo of some length".to_owned() })
        });
        let some = some.collect::<Result<Vec<_>, _>>()?;
        let appended = events.append(format!("load-{writer}"), ExpectedVersion::Any, some).await?;
        if appends % WAITED_FOR == 0 {
            waited_for.spawn(waited(Arc::clone(runtime), appended.token().clone(), Instant::now()));
        }
        appends += 1;
    }
    let times = waited_for.join_all().await.into_iter().collect::<Result<_>>()?;
    Ok((appends, times))
}

async fn waited(runtime: Arc<ProjectionRuntime>, token: AppendToken, returned: Instant) -> Result<f64> {
    runtime.applied::<Account>(&token, LIMIT).await?;
    Ok(milliseconds(returned.elapsed()))
}

/// How far the view is behind, until `end`.
async fn lags(runtime: &ProjectionRuntime, events: &MongoEvents, end: Instant) -> Result<Vec<f64>> {
    let progress = runtime.progress().remove(0);
    let mut lags = Vec::new();
    while Instant::now() < end {
        tokio::time::sleep(LOOK).await;
        let position = progress.borrow().position;
        lags.push(events.mark().await?.distance_from(position) as f64);
    }
    Ok(lags)
}

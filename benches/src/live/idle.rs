//! Idle latency: one append at a time, waited for in the view; one insert at a time, waited for in a change stream.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use bson::{Document, doc};
use futures::StreamExt as _;
use mongodb::Database;
use projection_core::{
    ProjectionRuntime,
    append::{AppendEvents as _, ExpectedVersion, NewEvent},
};
use projection_mongo::MongoEvents;

use super::Times;
use crate::account::{Account, Deposited};

pub(super) struct Idle {
    pub(super) raw: Times,
    pub(super) ours: Times,
}

const LIMIT: Duration = Duration::from_secs(10);

/// Between two, so that nothing is still under way.
const REST: Duration = Duration::from_millis(30);

/// In turn, so that both meet the same machine.
pub(super) async fn measure(
    database: &Database,
    events: &MongoEvents,
    runtime: &ProjectionRuntime,
    appends: u32,
) -> Result<Idle> {
    let raw_collection = database.collection::<Document>("raw");
    let mut changes = raw_collection.watch().await?;
    let (mut raw, mut ours) = (Vec::new(), Vec::new());
    for n in 0..appends {
        tokio::time::sleep(REST).await;
        // From when it is sent: a change is told before the insert has returned.
        let sent = Instant::now();
        let inserted = async { anyhow::Ok(raw_collection.insert_one(doc! { "n": n }).await?) };
        let told = async {
            changes.next().await.context("the change stream has ended")??;
            anyhow::Ok(Instant::now())
        };
        let (_, told) = tokio::try_join!(inserted, told)?;
        raw.push(milliseconds(told.duration_since(sent)));

        tokio::time::sleep(REST).await;
        let deposited = Deposited { account: 1, cents: 1, memo: String::new() };
        let appended = events.append("idle", ExpectedVersion::Any, [NewEvent::new(&deposited)?]).await?;
        let returned = Instant::now();
        runtime.applied::<Account>(appended.token(), LIMIT).await?;
        ours.push(milliseconds(returned.elapsed()));
    }
    // The first ones open connections.
    let settled = |mut times: Vec<f64>| Times::of(times.split_off(times.len().min(5).saturating_sub(1)));
    Ok(Idle { raw: settled(raw), ours: settled(ours) })
}

pub(super) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

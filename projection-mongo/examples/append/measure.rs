//! One measurement: so many writers, for so long.

use std::time::{Duration, Instant};

use mongodb::Database;
use tokio::task::JoinSet;

use crate::{Result, way::Way};

/// Before the measurement, so that connections and pages are there.
const WARM: Duration = Duration::from_millis(300);

/// What was measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    /// Appends a second, of all writers together.
    pub(crate) rate: f64,
    /// How long the middle append took, and how long the slowest but one in a hundred, in milliseconds.
    pub(crate) middle: f64,
    pub(crate) slow: f64,
}

pub(crate) async fn measure(
    database: &Database,
    way: Way,
    writers: usize,
    events: usize,
    duration: Duration,
) -> Result<Measured> {
    let mut running = JoinSet::new();
    let begin = Instant::now() + WARM;
    let end = begin + duration;
    for mut appender in way.appenders(database, writers).await? {
        running.spawn(async move {
            let mut times = Vec::new();
            loop {
                let since = Instant::now();
                appender.append(events).await?;
                let now = Instant::now();
                if now >= end {
                    return Result::Ok(times);
                }
                if now >= begin {
                    times.push(now - since);
                }
            }
        });
    }
    let mut times: Vec<Duration> = Vec::new();
    while let Some(ended) = running.join_next().await {
        times.extend(ended??);
    }
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 100).map_or(0.0, |time| time.as_secs_f64() * 1000.0);
    let count = u32::try_from(times.len())?;
    Ok(Measured { rate: f64::from(count) / duration.as_secs_f64(), middle: at(50), slow: at(99) })
}

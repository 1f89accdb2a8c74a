//! Appends the flights in their order, a few events at a time, whatever happened to who did it before.

use std::{collections::HashSet, path::Path, time::Duration};

use anyhow::{Context, Result, bail};
use flights::history::{FlightHistory, Recorded};
use projection_core::{
    Filter, Position, StoreError,
    append::{AppendError, AppendEvents, ExpectedVersion, StreamAppend},
    store::{EventPage as _, Window},
};

use crate::random::Random;

/// Before something that failed is tried again.
const PAUSE: Duration = Duration::from_millis(100);
/// How often a store that cannot be read is asked again: it is away for a moment only.
const TRIES: u32 = 600;
/// How many events are counted at once.
const PAGE: usize = 10_000;

/// How fast it goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pace {
    /// Many at once: this is the history.
    AllAtOnce,
    /// A few at once, and now and then a pause: live traffic.
    Live {
        /// Of how many and when.
        seed: u64,
    },
}

/// Appends what is missing of the first `up_to` events; up to where the store can be read then.
///
/// One writer at a time: how many events are there says which one is next. What was sent and not answered is there or
/// not; which, a count shows as soon as the mark has passed it.
pub(crate) async fn append<E: AppendEvents>(
    events: &E,
    history: &FlightHistory,
    up_to: u64,
    pace: Pace,
) -> Result<Position> {
    let mut random = Random::new(if let Pace::Live { seed } = pace { seed } else { 0 });
    loop {
        let (stored, mark) = patiently(|| count(events)).await?;
        if stored >= up_to {
            return Ok(mark);
        }
        let mut rest =
            history.events().skip(usize::try_from(stored)?).take(usize::try_from(up_to - stored)?).peekable();
        while rest.peek().is_some() {
            let most = if matches!(pace, Pace::AllAtOnce) { 1000 } else { random.between(1, 12) };
            let mut streams = HashSet::new();
            let mut appends = Vec::new();
            // In one append the streams are different, or the order would be another.
            while appends.len() < usize::try_from(most)?
                && let Some(next) = rest.next_if(|next| streams.insert(next.metadata.stream_id().clone()))
            {
                appends.push(append_of(&next)?);
            }
            match events.append_all(appends).await {
                Ok(_) => {}
                // Is it there? It shows.
                Err(AppendError::Conflict { .. } | AppendError::Duplicate(_)) => break,
                Err(AppendError::Store(error)) if error.may_pass() => break,
                Err(error) => return Err(error).context("the flights cannot be appended"),
            }
            if matches!(pace, Pace::Live { .. }) && random.one_in(20) {
                tokio::time::sleep(Duration::from_millis(random.between(1, 40))).await;
            }
        }
        if rest.peek().is_some() {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Says for the others that all is appended, and up to where.
pub(crate) fn done(file: &Path, position: Position) -> Result<()> {
    let beside = file.with_extension("new");
    std::fs::write(&beside, position.as_i64().to_string())?;
    Ok(std::fs::rename(beside, file)?)
}

/// Up to where all is appended, once it is.
pub(crate) fn is_done(file: &Path) -> Result<Option<Position>> {
    match std::fs::read_to_string(file) {
        Ok(position) => Ok(Some(Position::try_from(position.trim().parse::<i64>()?)?)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn append_of(recorded: &Recorded) -> Result<StreamAppend> {
    let Recorded { metadata, .. } = recorded;
    let before = ExpectedVersion::Exact(metadata.stream_version() - 1);
    Ok(StreamAppend::new(metadata.stream_id().clone(), before, [recorded.to_new()?]))
}

/// How many events can be read, and up to where.
async fn count<E: AppendEvents>(events: &E) -> Result<(u64, Position), StoreError> {
    let mark = events.mark().await?;
    let (mut after, mut stored) = (Position::START, 0);
    while after < mark {
        let page = events.read(Window { after, up_to: mark }, &Filter::all(), PAGE).await?;
        stored += page.events().count() as u64;
        after = page.covers();
    }
    Ok((stored, mark))
}

async fn patiently<T>(what: impl AsyncFn() -> Result<T, StoreError>) -> Result<T> {
    for _ in 0..TRIES {
        match what().await {
            Err(error) if error.may_pass() => tokio::time::sleep(PAUSE).await,
            result => return Ok(result?),
        }
    }
    bail!("the events cannot be read")
}

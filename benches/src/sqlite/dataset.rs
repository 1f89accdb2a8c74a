//! The history in a SQLite file: made once for each shape, and kept.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use projection_core::{
    StoreError,
    append::{AppendEvents, ExpectedVersion, NewEvent, StreamAppend},
};
use projection_sqlite::SqliteStore;

use crate::{
    dataset::Dataset,
    generate::{Happened, Shape, Totals},
};

/// How many events are appended at once.
const CHUNK: usize = 10_000;

/// The file of a history.
pub(super) fn file(directory: &Path, shape: &Shape) -> PathBuf {
    directory.join(format!("{}.db", shape.name()))
}

/// Says that the history is there whole.
fn note(directory: &Path, shape: &Shape) -> PathBuf {
    directory.join(format!("{}.json", shape.name()))
}

/// Removes a history.
pub(super) fn forget(directory: &Path, shape: &Shape) -> Result<()> {
    fs::remove_file(note(directory, shape))?;
    super::target::remove(&file(directory, shape))
}

/// Makes the history if it is not there whole.
pub(crate) async fn prepare(directory: &Path, shape: &Shape) -> Result<Dataset> {
    fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let (file, note) = (file(directory, shape), note(directory, shape));
    // Written last: it is there only if the whole history is.
    let totals = Totals::of(shape.final_states().values());
    let kept: Option<Dataset> = fs::read(&note).ok().and_then(|note| serde_json::from_slice(&note).ok());
    // Another release of this benchmark may have made another history of the same shape.
    if let Some(dataset) = kept.filter(|dataset| dataset.totals == totals) {
        return Ok(dataset);
    }
    eprintln!("making {} events over {} instances, once …", shape.events, shape.instances);
    super::target::remove(&file)?;
    let events = SqliteStore::open(&file).await?.events();
    let mut history = shape.history().zip(1_u64..);
    loop {
        let chunk = history.by_ref().take(CHUNK).map(|(happened, at)| appended(&happened, at));
        let chunk = chunk.collect::<Result<Vec<_>, _>>()?;
        if chunk.is_empty() {
            break;
        }
        events.append_all(chunk).await?;
    }
    let dataset = Dataset { totals, event_bytes: mean_bytes(&file)?, first: 0, last: shape.events.cast_signed() };
    fs::write(&note, serde_json::to_vec(&dataset)?)?;
    Ok(dataset)
}

fn appended(happened: &Happened, at: u64) -> Result<StreamAppend, StoreError> {
    let (account, event) = match happened {
        Happened::Deposited(event) => (event.account, NewEvent::new(event)),
        Happened::Withdrawn(event) => (event.account, NewEvent::new(event)),
        Happened::Noted(event) => (event.account, NewEvent::new(event)),
    };
    let event = event?.with_id(format!("e-{at}")).with_source("bench");
    Ok(StreamAppend::new(format!("account-{account}"), ExpectedVersion::Any, [event]))
}

/// Of all columns, without what SQLite needs around them.
fn mean_bytes(file: &Path) -> Result<f64> {
    let mean = "SELECT avg(length(type) + length(stream) + length(source) + length(id) + length(time) + length(data) + 16) \
                FROM (SELECT * FROM events LIMIT 10000)";
    Ok(super::read(file)?.query_row(mean, [], |row| row.get(0))?)
}

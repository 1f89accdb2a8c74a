//! The view's file before a run, and after it, checked.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

use super::dataset;
use crate::{
    dataset::Dataset,
    generate::{Shape, Totals},
    measure::Measured,
    way::Way,
};

/// The file of the views.
pub(super) fn file(directory: &Path) -> PathBuf {
    directory.join("target.db")
}

/// Removes what an earlier run wrote.
pub(crate) fn make_ready(directory: &Path) -> Result<()> {
    remove(&file(directory))
}

/// Removes what the runs have written, and the history too if it is not to be kept.
pub(crate) fn clean_up(directory: &Path, shape: &Shape, forget: bool) -> Result<()> {
    remove(&file(directory))?;
    if forget {
        dataset::forget(directory, shape)?;
    }
    Ok(())
}

/// Removes a database with what lies beside it.
pub(super) fn remove(file: &Path) -> Result<()> {
    for beside in ["", "-wal", "-shm"] {
        let path = PathBuf::from(format!("{}{beside}", file.display()));
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether the view is what the events that were applied make.
pub(crate) fn check(
    directory: &Path,
    dataset: &Dataset,
    shape: &Shape,
    way: Way,
    measured: &Measured,
) -> Result<()> {
    if !way.writes() {
        return Ok(());
    }
    let sums =
        "SELECT count(*), sum(state ->> 'events'), sum(state ->> 'cents'), sum(state ->> 'last') FROM accounts";
    let found = super::read(&file(directory))?.query_row(sums, [], |row| {
        Ok(Totals { instances: row.get(0)?, events: row.get(1)?, cents: row.get(2)?, last: row.get(3)? })
    })?;
    let whole = way == Way::Insert || measured.events == shape.events;
    // Of a part of the history, only the number of events is known.
    let expected = if whole { dataset.totals } else { Totals { events: measured.events.cast_signed(), ..found } };
    if found != expected {
        bail!("{}: the view holds {found:?}, and the events make {expected:?}", way.title());
    }
    Ok(())
}

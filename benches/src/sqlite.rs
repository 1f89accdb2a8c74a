//! The ways in SQLite: events in one file, which is kept, and views in another, which each run begins anew.

mod by_hand;
mod dataset;
mod floors;
mod target;

use std::path::Path;

use anyhow::{Result, bail};
use projection_core::ProjectionRuntime;
use projection_sqlite::{
    SqliteStore,
    rusqlite::{Connection, OpenFlags},
};

pub(crate) use dataset::prepare;
pub(crate) use target::{check, clean_up, make_ready};

use crate::{
    account::Account,
    measure::{Measured, Ran, clocked},
    ours,
    spec::{Spec, Work},
    way::Way,
};

/// One run in this process.
pub(crate) async fn run(directory: &Path, spec: &Spec) -> Result<Measured> {
    let Work::Accounts { shape, way, events: limit, majority } = &spec.work else {
        bail!("not a run over the made-up history");
    };
    let history = dataset::file(directory, shape);
    let target = target::file(directory);
    match way {
        Way::Rebuild | Way::Default => {
            clocked(async {
                let events = SqliteStore::open(&history).await?.events();
                let views = SqliteStore::open(&target).await?.views();
                let tuning = spec.tuning;
                let builder = ProjectionRuntime::builder(events, views)
                    .register_with::<Account>(move |options| tuning.apply(options));
                let replayed = ours::replay(tuning.of_runtime(builder), spec.telling).await?;
                Ok(Ran { events: shape.events, replayed: Some(replayed) })
            })
            .await
        }
        Way::PerEvent | Way::PerEventOne => {
            clocked(async { by_hand::per_event(&read(&history)?, &write(&target, *majority)?, *limit) }).await
        }
        Way::PlainBatch => {
            clocked(async { by_hand::batches(&read(&history)?, &mut write(&target, *majority)?, *limit) }).await
        }
        Way::Scan => clocked(async { floors::scan(&read(&history)?) }).await,
        Way::Decode => clocked(async { floors::decode(&read(&history)?) }).await,
        Way::Insert => {
            let states = floors::states(shape)?;
            clocked(async { floors::insert(&mut write(&target, *majority)?, &states) }).await
        }
    }
}

fn read(file: &Path) -> Result<Connection> {
    Ok(Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?)
}

/// A file with a table of accounts. Synced at each commit, as ours is, or at its checkpoints only.
fn write(file: &Path, synced: bool) -> Result<Connection> {
    let connection = Connection::open(file)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", if synced { "FULL" } else { "NORMAL" })?;
    connection
        .execute_batch("CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, state TEXT NOT NULL)")?;
    Ok(connection)
}

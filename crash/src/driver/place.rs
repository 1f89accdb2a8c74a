//! Where the runs take place: a server or a folder with the history in it, and views of their own for each run.

mod live;
mod sqlite;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flights::{history::FlightHistory, mongo::FlightsDatabase};
use projection_core::{CheckpointStorage, ViewStore as _, store::Checkpoint};
use projection_mongo::MongoViews;
use projection_sqlite::SqliteStore;
use tempfile::TempDir;

use super::{HISTORY, history, mongod::Mongod};
use crate::{
    args::{Kind, RunArgs},
    order::{Home, Live},
    views::{self, Documents, NAMES},
};
use live::Traffic;
use sqlite::SqliteFile;

/// A store with a history.
#[derive(Debug)]
pub(crate) struct Place {
    pub(super) kind: Kind,
    pub(super) server: Option<Mongod>,
    folder: TempDir,
    /// Where events are appended in each run.
    traffic: Option<Traffic>,
}

impl Place {
    /// Starts what is needed, and imports the history.
    pub(super) async fn prepare(kind: Kind, args: &RunArgs) -> Result<Self> {
        let mut folder = tempfile::Builder::new().prefix("projection-crash-").tempdir()?;
        folder.disable_cleanup(args.keep);
        let traffic = Traffic::of(kind, args)?;
        let server = match (kind, &args.mongod) {
            (Kind::Sqlite, _) => None,
            (_, mongod) => {
                let mongod = mongod.as_ref().context("--mongod names no program")?;
                Some(Mongod::start(mongod, &folder.path().join("mongod"), kind.has_transactions()).await?)
            }
        };
        let place = Self { kind, server, folder, traffic };
        if !place.is_live() {
            place.import(&history::read(&args.data)?).await?;
        }
        Ok(place)
    }

    /// Puts the history where all runs read it.
    async fn import(&self, history: &FlightHistory) -> Result<()> {
        match &self.server {
            Some(server) => {
                let database = FlightsDatabase::new(server.client().await?.database(HISTORY));
                database.import(history, 0, || ()).await?;
                Ok(())
            }
            None => sqlite::import(&self.events_file("history"), history).await,
        }
    }

    /// Whether events are appended in each run.
    pub(super) fn is_live(&self) -> bool {
        self.traffic.is_some()
    }

    /// Makes what a run needs before its processes start; what they are told.
    pub(super) async fn begin(&self, run: &str, seed: u64) -> Result<Option<Live>> {
        let Some(traffic) = &self.traffic else { return Ok(None) };
        match &self.server {
            Some(server) => {
                let database = FlightsDatabase::new(server.client().await?.database(run));
                traffic.begin(&database.events().await?).await?;
            }
            None => traffic.begin(&SqliteStore::open(self.events_file(run)).await?.events()).await?,
        }
        Ok(Some(traffic.order(seed, &self.journal(run).with_extension("done"))))
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The file of what happened in a run.
    pub(super) fn journal(&self, run: &str) -> PathBuf {
        self.folder().join(format!("{run}.journal"))
    }

    /// Where the children of a run find events and views.
    pub(super) fn home(&self, run: &str) -> Home {
        match &self.server {
            Some(server) => {
                let events = if self.is_live() { run } else { HISTORY }.to_owned();
                Home::Mongo { uri: server.uri(), events, views: run.to_owned() }
            }
            None => {
                let events = self.events_file(if self.is_live() { run } else { "history" });
                Home::Sqlite { events, views: self.views_file(run) }
            }
        }
    }

    /// The documents that a run has left, read with no help of the library's.
    pub(super) async fn documents(&self, run: &str) -> Result<Documents> {
        match &self.server {
            Some(server) => views::documents(&FlightsDatabase::new(server.client().await?.database(run))).await,
            None => views::documents(&SqliteFile(self.views_file(run))).await,
        }
    }

    /// The checkpoints that a run has left.
    pub(super) async fn checkpoints(&self, run: &str) -> Result<Vec<Checkpoint>> {
        let storage = match &self.server {
            Some(server) => MongoViews::new(server.client().await?.database(run)).checkpoints(),
            None => {
                let checkpoints = SqliteStore::open(self.views_file(run)).await?.checkpoints();
                std::sync::Arc::new(checkpoints) as std::sync::Arc<dyn CheckpointStorage>
            }
        };
        let mut all = Vec::new();
        for name in NAMES {
            all.extend(storage.load(name).await?);
        }
        Ok(all)
    }

    /// Removes the views of a run.
    pub(super) async fn clear(&self, run: &str) -> Result<()> {
        for ending in ["journal", "done"] {
            let _ = std::fs::remove_file(self.journal(run).with_extension(ending));
        }
        match &self.server {
            Some(server) => Ok(server.client().await?.database(run).drop().await?),
            None => {
                for file in [self.views_file(run), self.events_file(run)] {
                    for ending in ["", "-wal", "-shm"] {
                        let mut name = file.clone().into_os_string();
                        name.push(ending);
                        // Some are gone already, or never were there.
                        let _ = std::fs::remove_file(name);
                    }
                }
                Ok(())
            }
        }
    }

    fn events_file(&self, of: &str) -> PathBuf {
        self.folder().join(format!("{of}.events.db"))
    }

    fn views_file(&self, run: &str) -> PathBuf {
        self.folder().join(format!("{run}.db"))
    }
}

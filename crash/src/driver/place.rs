//! Where the runs take place: a server or a folder with the history in it, and views of their own for each run.

pub(super) mod live;
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
        let traffic = Traffic::of(args)?;
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
            None => sqlite::import(&self.events_file(HISTORY), history).await,
        }
    }

    /// Whether events are appended in each run.
    pub(super) fn is_live(&self) -> bool {
        self.traffic.is_some()
    }

    /// Makes what a run needs before its processes start; what they are told.
    pub(super) async fn begin(&self, run: &str, seed: u64) -> Result<Option<Live>> {
        let Some(traffic) = &self.traffic else { return Ok(None) };
        match self.server_of_events() {
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

    /// Whether something was appended twice, or is missing.
    pub(super) async fn check_events(&self, run: &str) -> Result<Option<String>> {
        let Some(traffic) = &self.traffic else { return Ok(None) };
        match self.server_of_events() {
            Some(server) => {
                let database = FlightsDatabase::new(server.client().await?.database(run));
                traffic.check(&database.events().await?).await
            }
            None => traffic.check(&SqliteStore::open(self.events_file(run)).await?.events()).await,
        }
    }

    /// The server that has the events. A server alone takes no appends: live, they are in a file.
    fn server_of_events(&self) -> Option<&Mongod> {
        self.server.as_ref().filter(|_| !self.is_live() || self.kind.has_transactions())
    }

    /// Where the children of a run find events.
    pub(super) fn events_home(&self, run: &str) -> Home {
        let of = if self.is_live() { run } else { HISTORY };
        match self.server_of_events() {
            Some(server) => Home::Mongo { uri: server.uri(), database: of.to_owned() },
            None => Home::Sqlite(self.events_file(of)),
        }
    }

    /// Where the children of a run put views.
    pub(super) fn views_home(&self, run: &str) -> Home {
        match &self.server {
            Some(server) => Home::Mongo { uri: server.uri(), database: run.to_owned() },
            None => Home::Sqlite(self.views_file(run)),
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

    /// Removes what a run has left.
    pub(super) async fn clear(&self, run: &str) -> Result<()> {
        for ending in ["journal", "done"] {
            let _ = std::fs::remove_file(self.journal(run).with_extension(ending));
        }
        for file in [self.views_file(run), self.events_file(run)] {
            sqlite::remove(&file);
        }
        if let Some(server) = &self.server {
            server.client().await?.database(run).drop().await?;
        }
        Ok(())
    }

    fn events_file(&self, of: &str) -> PathBuf {
        self.folder().join(format!("{of}.events.db"))
    }

    fn views_file(&self, run: &str) -> PathBuf {
        self.folder().join(format!("{run}.db"))
    }
}

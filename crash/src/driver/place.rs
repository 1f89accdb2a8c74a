//! Where the runs take place: a server or a folder with the history in it, and views of their own for each run.

mod sqlite;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flights::mongo::FlightsDatabase;
use projection_core::{CheckpointStorage, ViewStore as _, store::Checkpoint};
use projection_mongo::MongoViews;
use projection_sqlite::SqliteStore;
use tempfile::TempDir;

use super::{HISTORY, history, mongod::Mongod};
use crate::{
    args::{Kind, RunArgs},
    order::Home,
    views::{self, Documents, NAMES},
};
use sqlite::SqliteFile;

/// A store with a history.
#[derive(Debug)]
pub(crate) struct Place {
    pub(super) kind: Kind,
    pub(super) server: Option<Mongod>,
    folder: TempDir,
}

impl Place {
    /// Starts what is needed, and imports the history.
    pub(super) async fn prepare(kind: Kind, args: &RunArgs) -> Result<Self> {
        let mut folder = tempfile::Builder::new().prefix("projection-crash-").tempdir()?;
        folder.disable_cleanup(args.keep);
        let history = history::read(&args.data)?;
        let server = match (kind, &args.mongod) {
            (Kind::Sqlite, _) => {
                sqlite::import(&folder.path().join("events.db"), &history).await?;
                None
            }
            (_, mongod) => {
                let mongod = mongod.as_ref().context("--mongod names no program")?;
                let server = Mongod::start(mongod, &folder.path().join("mongod"), kind.has_transactions()).await?;
                let database = FlightsDatabase::new(server.client().await?.database(HISTORY));
                database.import(&history, 0, || ()).await?;
                Some(server)
            }
        };
        Ok(Self { kind, server, folder })
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
            Some(server) => Home::Mongo { uri: server.uri(), database: run.to_owned() },
            None => Home::Sqlite { events: self.folder().join("events.db"), views: self.views_file(run) },
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
        let _ = std::fs::remove_file(self.journal(run));
        match &self.server {
            Some(server) => Ok(server.client().await?.database(run).drop().await?),
            None => {
                let file = self.views_file(run);
                for ending in ["", "-wal", "-shm"] {
                    let mut name = file.clone().into_os_string();
                    name.push(ending);
                    // The last two may be gone already.
                    let _ = std::fs::remove_file(name);
                }
                Ok(())
            }
        }
    }

    fn views_file(&self, run: &str) -> PathBuf {
        self.folder().join(format!("{run}.db"))
    }
}

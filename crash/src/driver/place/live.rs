//! A store of events for one run, whose first half is there before the run begins.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use flights::history::FlightHistory;
use projection_core::append::AppendEvents;

use crate::{
    args::{Kind, RunArgs},
    driver::history,
    order::Live,
    writing::{self, Pace},
};

/// The flights that are appended in each run.
#[derive(Debug)]
pub(crate) struct Traffic {
    data: PathBuf,
    history: FlightHistory,
}

impl Traffic {
    /// Where it was asked for.
    pub(super) fn of(kind: Kind, args: &RunArgs) -> Result<Option<Self>> {
        if !args.live {
            return Ok(None);
        }
        if kind == Kind::MongoStandalone {
            bail!("--live appends events, which needs transactions: --store mongo or sqlite");
        }
        Ok(Some(Self { data: args.data.clone(), history: history::read(&args.data)? }))
    }

    /// The first half of the events.
    pub(super) async fn begin<E: AppendEvents>(&self, events: &E) -> Result<()> {
        writing::append(events, &self.history, self.history.len() / 2, Pace::AllAtOnce).await?;
        Ok(())
    }

    /// What the processes of a run are told of it; `done` is the file that says that all is appended.
    pub(super) fn order(&self, seed: u64, done: &Path) -> Live {
        Live { data: self.data.clone(), seed, done: done.to_owned() }
    }
}

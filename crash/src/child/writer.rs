//! The process that appends while others replay. It is killed, too, and goes on where the store says.

use std::{path::Path, process::ExitCode};

use anyhow::Result;
use projection_core::append::AppendEvents;

use crate::{
    driver::history,
    journal::{Journal, What},
    order::{Live, Order},
    writing::{self, Pace},
};

/// Appends all that is missing.
pub(super) async fn run<E: AppendEvents>(order: &Order, live: &Live, events: E) -> Result<ExitCode> {
    let journal = Journal::open(&order.journal)?;
    match write(live, &events).await {
        Ok(()) => journal.write(What::Done)?,
        Err(error) => {
            journal.write(What::Failed(format!("{error:#}")))?;
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn write<E: AppendEvents>(live: &Live, events: &E) -> Result<()> {
    let history = history::read(Path::new(&live.data))?;
    let position = writing::append(events, &history, history.len(), Pace::Live { seed: live.seed }).await?;
    writing::done(&live.done, position)
}

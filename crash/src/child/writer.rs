//! The process that appends while others replay. It is killed, too, and goes on where the store says.

use std::process::ExitCode;

use anyhow::Result;
use flights::mongo::FlightsDatabase;
use mongodb::Client;
use projection_core::append::AppendEvents;
use projection_sqlite::SqliteStore;

use super::not_started;
use crate::{
    driver::history,
    journal::{Journal, What},
    order::{Home, Live, Order},
    writing::{self, Pace},
};

/// Appends all that is missing, in place of replaying it.
pub(super) async fn run(order: &Order, live: &Live) -> Result<ExitCode> {
    let journal = Journal::open(&order.journal)?;
    let written = match &order.events {
        Home::Sqlite(file) => match SqliteStore::open(file).await {
            Ok(store) => write(live, &store.events()).await,
            Err(error) => return not_started(&journal, &error.into()),
        },
        Home::Mongo { uri, database } => {
            let client = Client::with_uri_str(uri).await?;
            match FlightsDatabase::new(client.database(database)).events().await {
                Ok(events) => write(live, &events).await,
                Err(error) => return not_started(&journal, &error.into()),
            }
        }
    };
    match written {
        Ok(()) => {
            journal.write(What::Done)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            journal.write(What::Failed(format!("{error:#}")))?;
            Ok(ExitCode::FAILURE)
        }
    }
}

async fn write<E: AppendEvents>(live: &Live, events: &E) -> Result<()> {
    let history = history::read(&live.data)?;
    let position = writing::append(events, &history, history.len(), Pace::Live { seed: live.seed }).await?;
    writing::done(&live.done, position)
}

//! The process that is killed: the runtime over real stores, which are wrapped so that each step has a name.

mod commands;
mod events;
mod finish;
mod leases;
mod mutants;
mod repository;
mod steps;
mod storage;
mod views;
mod writer;

use std::{process::ExitCode, sync::Arc, time::Duration};

use anyhow::{Context, Result};
use flights::mongo::FlightsDatabase;
use mongodb::{Client, options::ClientOptions};
use projection_core::{CheckpointStorage, EventStore, ProjectionRuntime, ViewStore};
use projection_mongo::{MongoViews, MongoViewsOptions};
use projection_sqlite::SqliteStore;

use crate::{
    journal::What,
    order::{Home, Live, Mutant, Order},
    views::register,
};
use events::SteppedEvents;
use steps::Steps;
use views::SteppedViews;

/// The exit code of a child that could not start: a service manager would start it again.
pub(crate) const NOT_STARTED: u8 = 3;

/// How often a child that is up to date looks for events.
const POLL: Duration = Duration::from_millis(100);

/// Replays until all views are up to date, or until it ends itself.
pub(crate) async fn run(order: Order) -> Result<ExitCode> {
    if let (true, Some(live)) = (order.is_writer, &order.live) {
        return write(&order, live).await;
    }
    let steps = Arc::new(Steps::of(&order)?);
    let started = match &order.home {
        Home::Mongo { uri, events, views } => in_mongo(&order, &steps, uri, [events, views]).await,
        Home::Sqlite { events, views } => {
            let (events, views) = (SqliteStore::open(events).await?, SqliteStore::open(views).await?);
            start(&order, &steps, events.events(), views.views()).await
        }
    };
    let (runtime, checkpoints) = match started {
        Ok(started) => started,
        Err(error) => {
            steps.journal.write(What::Failed(format!("{error:#}")))?;
            return Ok(NOT_STARTED.into());
        }
    };
    let up_to_date = finish::up_to_date(&runtime, checkpoints.as_ref(), order.live.as_ref()).await;
    runtime.shutdown().await;
    match up_to_date {
        Ok(()) => {
            steps.journal.write(What::Steps(steps.counts()))?;
            steps.journal.write(What::Done)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            steps.journal.write(What::Failed(format!("{error:#}")))?;
            Ok(ExitCode::FAILURE)
        }
    }
}

/// A runtime, and its checkpoints without steps around them.
type Started = (ProjectionRuntime, Arc<dyn CheckpointStorage>);

/// Appends events in place of replaying them.
async fn write(order: &Order, live: &Live) -> Result<ExitCode> {
    match &order.home {
        Home::Mongo { uri, events, .. } => {
            let client = Client::with_uri_str(uri).await?;
            match FlightsDatabase::new(client.database(events)).events().await {
                Ok(events) => writer::run(order, live, events).await,
                // The server is away.
                Err(_) => Ok(NOT_STARTED.into()),
            }
        }
        Home::Sqlite { events, .. } => writer::run(order, live, SqliteStore::open(events).await?.events()).await,
    }
}

async fn in_mongo(order: &Order, steps: &Arc<Steps>, uri: &str, [events, views]: [&str; 2]) -> Result<Started> {
    let mut options = ClientOptions::parse(uri).await?;
    options.command_event_handler = Some(commands::handler(Arc::clone(steps)));
    options.app_name = Some(format!("crash-{}", order.name));
    let client = Client::with_options(options)?;
    let events = FlightsDatabase::new(client.database(events));
    let events = steps.around("open events", "", events.events()).await?;
    let mut options = MongoViewsOptions::new();
    if order.mutant.is_some_and(Mutant::goes_without_epochs) {
        options = options.without_epoch_check();
    }
    start(order, steps, events, MongoViews::with_options(client.database(views), options)).await
}

async fn start<E: EventStore, V: ViewStore>(
    order: &Order,
    steps: &Arc<Steps>,
    events: E,
    views: V,
) -> Result<Started> {
    let checkpoints = views.checkpoints();
    let events = SteppedEvents::new(events, Arc::clone(steps));
    let views = SteppedViews::new(views, Arc::clone(steps), order.mutant);
    let builder = ProjectionRuntime::builder(events, views)
        .owner(&order.name)
        .poll_interval(POLL)
        .lease(Duration::from_millis(order.lease_ms));
    let runtime = register(builder, order.batch_size, order.memory_budget)
        .start()
        .await
        .context("the runtime does not start")?;
    Ok((runtime, checkpoints))
}

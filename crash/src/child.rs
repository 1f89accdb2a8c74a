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
use projection_core::{CheckpointStorage, EventStore, ProjectionRuntime, StoreError, ViewStore};
use projection_mongo::{MongoViews, MongoViewsOptions};
use projection_sqlite::SqliteStore;

use crate::{
    journal::{Journal, What},
    order::{Home, Mutant, Order},
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
        return writer::run(&order, live).await;
    }
    let steps = Arc::new(Steps::of(&order)?);
    let (runtime, checkpoints) = match from_events(&order, &steps).await {
        Ok(started) => started,
        Err(error) => return not_started(&steps.journal, &error),
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

/// How a start ends that failed: it may succeed later where the server is away, or a process that is stopped holds the lock
/// of a file.
fn not_started(journal: &Journal, error: &anyhow::Error) -> Result<ExitCode> {
    journal.write(What::Failed(format!("{error:#}")))?;
    let mut of_the_store = error.chain().filter_map(|cause| cause.downcast_ref::<StoreError>());
    Ok(if of_the_store.any(StoreError::may_pass) { NOT_STARTED.into() } else { ExitCode::FAILURE })
}

/// A runtime, and its checkpoints without steps around them.
type Started = (ProjectionRuntime, Arc<dyn CheckpointStorage>);

async fn from_events(order: &Order, steps: &Arc<Steps>) -> Result<Started> {
    match &order.events {
        Home::Sqlite(file) => to_views(order, steps, SqliteStore::open(file).await?.events()).await,
        Home::Mongo { uri, database } => {
            let database = FlightsDatabase::new(client(order, steps, uri).await?.database(database));
            to_views(order, steps, steps.around("open events", "", database.events()).await?).await
        }
    }
}

async fn to_views<E: EventStore>(order: &Order, steps: &Arc<Steps>, events: E) -> Result<Started> {
    match &order.views {
        Home::Sqlite(file) => start(order, steps, events, SqliteStore::open(file).await?.views()).await,
        Home::Mongo { uri, database } => {
            let mut options = MongoViewsOptions::new();
            if order.mutant.is_some_and(Mutant::goes_without_epochs) {
                options = options.without_epoch_check();
            }
            let database = client(order, steps, uri).await?.database(database);
            start(order, steps, events, MongoViews::with_options(database, options)).await
        }
    }
}

/// A client each of whose commands is a step.
async fn client(order: &Order, steps: &Arc<Steps>, uri: &str) -> Result<Client> {
    let mut options = ClientOptions::parse(uri).await?;
    options.command_event_handler = Some(commands::handler(Arc::clone(steps)));
    options.app_name = Some(format!("crash-{}", order.name));
    Ok(Client::with_options(options)?)
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

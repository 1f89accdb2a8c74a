//! The flights of the year, in MongoDB: each view alone, and all together.

mod runs;

use std::{fs::File, path::Path};

use ::flights::{
    input,
    mongo::FlightsDatabase,
    views::{Airborne, Aircraft, AirportTraffic, FlightStatus, Punctuality, Records, route_traffic},
};
use anyhow::{Context, Result, bail};
use projection_core::{EventStore, ProjectionRuntime, ViewStore, runtime::ProjectionRuntimeBuilder};

pub(crate) use runs::{FlightsCase, measure};

use crate::{
    measure::{Measured, Ran},
    mongo::Server,
    options::Tuning,
    ours,
    spec::Spec,
};

/// The database, which holds nothing else.
const DATABASE: &str = "bench_replay_flights";

/// The names of the views.
const VIEWS: [&str; 7] = ["carriers", "aircraft", "airport-days", "routes", "flights", "airborne", "records"];

/// Imports the flights if they are not there; how many events they are.
async fn prepare(uri: &str, file: &Path) -> Result<u64> {
    let server = Server::connect(uri, false).await?;
    let database = FlightsDatabase::new(server.database(DATABASE));
    let csv = File::open(file).with_context(|| format!("cannot open {}", file.display()))?;
    let mut malformed = 0;
    let history = input::read(csv, |_| malformed += 1)?;
    if database.import(&history, malformed, || {}).await? {
        eprintln!("{} events of flights imported, once", history.len());
    }
    Ok(history.len())
}

/// Drops the views, and leaves the events.
async fn make_ready(uri: &str) -> Result<()> {
    let server = Server::connect(uri, false).await?;
    FlightsDatabase::new(server.database(DATABASE)).drop_views().await?;
    server.database("admin").run_command(bson::doc! { "fsync": 1 }).await?;
    Ok(())
}

/// One run in this process.
pub(crate) async fn run(uri: &str, view: Option<&str>, spec: &Spec) -> Result<Measured> {
    let server = Server::connect(uri, spec.counting).await?;
    let database = FlightsDatabase::new(server.database(DATABASE));
    let events = database.held_whole().await?.events;
    let work = async {
        let mut builder = ProjectionRuntime::builder(database.events().await?, database.views());
        for name in VIEWS.into_iter().filter(|name| view.is_none_or(|view| view == *name)) {
            builder = register(builder, name, spec.tuning)?;
        }
        let replayed = ours::replay(builder, spec.telling).await?;
        Ok(Ran { events, replayed: Some(replayed) })
    };
    server.measured(work).await
}

fn register<E: EventStore, V: ViewStore>(
    builder: ProjectionRuntimeBuilder<E, V>,
    view: &str,
    tuning: Tuning,
) -> Result<ProjectionRuntimeBuilder<E, V>> {
    let set = move |options| tuning.apply(options);
    Ok(match view {
        "carriers" => builder.register_with::<Punctuality>(set),
        "aircraft" => builder.register_with::<Aircraft>(set),
        "airport-days" => builder.register_with::<AirportTraffic>(set),
        "routes" => builder.register_with::<route_traffic>(set),
        "flights" => builder.register_with::<FlightStatus>(set),
        "airborne" => builder.register_with::<Airborne>(set),
        "records" => builder.register_with::<Records>(set),
        other => bail!("the flights have no view {other:?}"),
    })
}

//! A small service that takes orders: it appends events on POST, keeps two views of them, and shows those on GET.
//!
//! ```text
//! $ cargo run -p orders                       events and views in data/orders.db; or -- --mongo mongodb://…
//! listening on http://127.0.0.1:8080
//! $ curl -i localhost:8080/orders --json '{"customer_id": "ada", "lines": [{"sku": "mug", "pieces": 2, "cents_each": 990}]}'
//! $ curl 'localhost:8080/customers/ada?after=events:0..1'      with the Append-Token of the answer
//! $ curl -X POST localhost:8080/orders/$ID/ship -H 'Idempotency-Key: ship-it-1'
//! $ curl localhost:8080/health/ready; curl localhost:8080/projections
//! ```
//!
//! Kill it and start it again: everything is there. Start it twice on one file, with two `--listen`: one process feeds
//! the views, the other one shows them, and takes over when the first one ends.
//!
//! To read it: `events`, then the decisions in `order` and `placing`; `views`; `commands`, which appends what was decided,
//! once; `service`, where the runtime is; and `http` around it.

mod args;
mod commands;
mod events;
mod http;
mod ids;
mod order;
mod placing;
mod service;
mod stopping;
mod stores;
mod told;
mod views;

use std::{
    error::Error,
    io::{self, Write as _},
    process::ExitCode,
    sync::Arc,
};

use clap::Parser as _;
use projection_core::{ViewStore, append::AppendEvents};
use tokio::net::TcpListener;

use crate::{args::Args, service::Service};

#[tokio::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt().with_writer(io::stderr).with_ansi(false).init();
    let Err(error) = run(Args::parse()).await else { return ExitCode::SUCCESS };
    // Nobody may be listening any more.
    _ = writeln!(io::stderr(), "error: {}", told::whole(&*error));
    ExitCode::FAILURE
}

async fn run(args: Args) -> Result<(), Box<dyn Error>> {
    if let Some(uri) = &args.mongo {
        let (events, views) = stores::mongo(uri, &args.database).await?;
        return serve(events, views, &args).await;
    }
    let store = stores::sqlite(args.sqlite.as_deref()).await?;
    serve(store.events(), store.views(), &args).await
}

/// From the start of the views to their end.
async fn serve<E, V>(events: E, views: V, args: &Args) -> Result<(), Box<dyn Error>>
where
    E: AppendEvents + Clone,
    V: ViewStore,
{
    let stop = stopping::asked()?;
    let listener = TcpListener::bind(args.listen).await;
    let listener = listener.map_err(|error| format!("{} cannot be listened on: {error}", args.listen))?;
    let address = listener.local_addr()?;

    let service = Arc::new(Service::start(events, views, args.lease()).await?);
    writeln!(io::stdout(), "listening on http://{address}")?;
    http::serve(listener, Arc::clone(&service), stop).await?;
    service.runtime.shutdown().await;
    Ok(())
}

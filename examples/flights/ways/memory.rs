//! Events and views in memory: gone with the process.

use std::error::Error;

use flights::{memory, run::RunOptions};
use projection_core::memory::InMemoryViews;
use tokio_util::sync::CancellationToken;

use crate::{
    args::Args,
    data::{self, Flights},
    replaying::replay,
};

pub(super) async fn run(args: &Args, stop: &CancellationToken) -> Result<(), Box<dyn Error>> {
    let path = data::file(args.data.as_deref())?;
    let Flights { history, malformed, first_malformed } = super::read(args, &path)?;
    let options = RunOptions { events: history.len(), malformed, replay: super::options(args, stop) };
    let events = memory::events_of(&history)?;
    drop(history);
    let views = InMemoryViews::new();
    replay(events, views.clone(), &views, options, &first_malformed).await
}

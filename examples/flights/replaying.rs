//! The replay of what is in a store, told as it goes: where it goes on, a bar, the report.

use std::{
    error::Error,
    io::{self, Write},
    time::Instant,
};

use flights::{
    input::Malformed,
    replay::ReplayError,
    report::Report,
    run::{Outcome, RunError, RunOptions, run},
    standing::Standing,
    stored::StoredViews,
};
use projection_core::{EventStore, ViewStore};

use crate::{bar::ReplayBar, stopping::Stopped};

/// Replays, and prints the report; the rows in `malformed` are shown in it.
pub(crate) async fn replay<E: EventStore, V: ViewStore>(
    events: E,
    views: V,
    stored: &impl StoredViews,
    options: RunOptions,
    malformed: &[Malformed],
) -> Result<(), Box<dyn Error>> {
    eprintln!("{}", Standing::of(&views, options.events).await?);
    let began = Instant::now();
    let mut bar = None;
    let outcome = run(events, views, stored, options, |views| bar = Some(ReplayBar::of(views))).await;
    if let Some(bar) = bar {
        bar.finish();
    }
    let Outcome { figures, summary } = outcome.map_err(|error| match error {
        RunError::Replay(ReplayError::Stopped) => Box::<dyn Error>::from(Stopped),
        error => error.into(),
    })?;
    let (events, took) = (summary.events, began.elapsed().as_secs_f64());
    eprintln!("{events} events replayed and the views read back in {took:.1} s");
    let report = Report { figures: &figures, summary: &summary, malformed }.to_string();
    match io::stdout().write_all(report.as_bytes()) {
        // Who reads the first lines only has what it wanted.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

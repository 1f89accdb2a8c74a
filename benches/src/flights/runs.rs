//! The flights, measured: each view alone and all together, in turn.

use std::path::Path;

use anyhow::Result;

use super::{VIEWS, make_ready, prepare};
use crate::{
    Args, child,
    measure::{Measured, Spread},
    options::Tuning,
    spec::{Place, Spec, Work},
};

/// What was measured on the flights.
#[derive(Debug)]
pub(crate) struct FlightsCase {
    pub(crate) events: u64,
    /// By view, and all of them last.
    pub(crate) runs: Vec<FlightsRuns>,
}

/// The runs of one view, or of all.
#[derive(Debug)]
pub(crate) struct FlightsRuns {
    /// `None`: all.
    pub(crate) view: Option<&'static str>,
    pub(crate) measured: Vec<Measured>,
}

impl FlightsRuns {
    pub(crate) fn name(&self) -> &'static str {
        self.view.unwrap_or("all together")
    }

    pub(crate) fn spread(&self, value: impl Fn(&Measured) -> f64) -> Option<Spread> {
        Spread::of(self.measured.iter().map(value))
    }

    fn seconds(&self) -> f64 {
        self.spread(|run| run.seconds).map_or(0.0, |spread| spread.median)
    }
}

impl FlightsCase {
    /// The time of all together over that of the slowest alone.
    pub(crate) fn all_to_slowest(&self) -> f64 {
        let slowest =
            self.runs.iter().filter(|runs| runs.view.is_some()).map(FlightsRuns::seconds).fold(0.0, f64::max);
        let all = self.runs.iter().find(|runs| runs.view.is_none()).map_or(0.0, FlightsRuns::seconds);
        all / slowest
    }
}

/// Replays the flights in `file`.
pub(crate) async fn measure(args: &Args, file: &Path) -> Result<FlightsCase> {
    let events = prepare(&args.mongo, file).await?;
    let views = VIEWS.into_iter().map(Some).chain([None]);
    let mut runs: Vec<FlightsRuns> = views.map(|view| FlightsRuns { view, measured: Vec::new() }).collect();
    for round in 0..args.repeat as usize {
        eprintln!("{events} events of flights: round {}", round + 1);
        for place in 0..runs.len() {
            let turn = (place + round) % runs.len();
            make_ready(&args.mongo).await?;
            let measured = child::measured(&spec(args, runs[turn].view)).await?;
            eprintln!("  {}: {:.2} s", runs[turn].name(), measured.seconds);
            runs[turn].measured.push(measured);
        }
    }
    Ok(FlightsCase { events, runs })
}

fn spec(args: &Args, view: Option<&str>) -> Spec {
    Spec {
        place: Place::Mongo { uri: args.mongo.clone() },
        work: Work::Flights { view: view.map(str::to_owned) },
        tuning: Tuning {
            rebuild: true,
            memory_budget: args.memory_budget.map(|mebibytes| mebibytes << 20),
            ..Tuning::default()
        },
        counting: false,
        telling: false,
    }
}

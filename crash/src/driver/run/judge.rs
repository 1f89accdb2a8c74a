//! What a run was: what was done to it, what it promised and did, and whether its views are right.

use std::{
    collections::{BTreeMap, HashSet},
    time::Duration,
};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::{
    args::Kind,
    driver::{compare::Reference, measures, place::Place, run::WRITER},
    journal::{Ended, Line, What},
};

/// A run that is over.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Ran {
    pub(crate) seed: u64,
    pub(crate) took: Duration,
    /// How the views differ from those of a replay that nobody disturbed.
    pub(crate) wrong_views: Vec<String>,
    /// What else did not go as it must.
    pub(crate) wrong: Vec<String>,
    /// The steps at which processes were killed.
    pub(crate) kills: Vec<String>,
    /// Kills at random moments.
    pub(crate) random_kills: u64,
    /// The steps at which one was stopped; at a random moment, empty.
    pub(crate) stops: Vec<String>,
    pub(crate) server_kills: u64,
    /// Kills of the process that appends.
    pub(crate) writer_kills: u64,
    /// Kills and stops of the others before all was appended.
    pub(crate) while_appending: u64,
    /// Batches flushed again after each kill or takeover, for each view that was concerned.
    pub(crate) again: Vec<u64>,
    pub(crate) takeovers: Vec<Duration>,
    /// Batches that were refused because another owned the projection.
    pub(crate) fenced: u64,
    /// Faults that never came, since all was done before.
    pub(crate) missed: usize,
    /// How often the last start reached each step.
    #[serde(skip)]
    pub(crate) steps: BTreeMap<String, u64>,
}

impl Ran {
    pub(super) fn of(lines: &[Line], kind: Kind, seed: u64, wrong: Vec<String>) -> Self {
        let mut ran = Self { seed, wrong, ..Self::default() };
        let mut writers = HashSet::new();
        let mut appending = true;
        for line in lines {
            let is_fault = matches!(line.what, What::Killed | What::Stopped | What::Signals { .. });
            if is_fault && appending && !writers.contains(&line.pid) {
                ran.while_appending += 1;
            }
            match &line.what {
                What::Spawned(name) if name == WRITER => drop(writers.insert(line.pid)),
                What::Done if writers.contains(&line.pid) => appending = false,
                What::Killed if writers.contains(&line.pid) => ran.writer_kills += 1,
                What::Signals { step, stop: false } => ran.kills.push(plain(step)),
                What::Signals { step, stop: true } => ran.stops.push(plain(step)),
                What::Killed => ran.random_kills += 1,
                What::Stopped => ran.stops.push(String::new()),
                What::ServerKilled => ran.server_kills += 1,
                What::End { ended: Ended::Fenced, .. } => ran.fenced += 1,
                What::Steps(steps) => ran.steps = steps.iter().cloned().collect(),
                _ => {}
            }
        }
        ran.again = measures::again(lines);
        if let Some(most) = ran.again.iter().max().filter(|most| **most > 1) {
            ran.wrong.push(format!("{most} batches of a view were flushed again after one kill"));
        }
        ran.takeovers = measures::takeovers(lines);
        if kind.has_transactions() {
            ran.wrong.extend(measures::late_commits(lines, kind == Kind::Mongo));
        }
        ran
    }

    /// Compares what is stored with what must be.
    pub(super) async fn compare(&mut self, place: &Place, run: &str, reference: &Reference) -> Result<()> {
        self.wrong_views = reference.differences(&place.documents(run).await?);
        self.wrong.extend(place.check_events(run).await?);
        for checkpoint in place.checkpoints(run).await? {
            let (name, at) = (&checkpoint.key.projection, checkpoint.position.as_u64());
            // An append that was broken off leaves a position without an event.
            let is_there = if place.is_live() { at >= reference.events } else { at == reference.events };
            if !is_there || !checkpoint.caught_up {
                self.wrong.push(format!("the checkpoint of {name} is at {at} of {}", reference.events));
            }
        }
        Ok(())
    }

    pub(crate) fn is_wrong(&self) -> bool {
        !self.wrong_views.is_empty() || !self.wrong.is_empty()
    }
}

/// A step without the projection that it was asked for of.
fn plain(step: &str) -> String {
    step.split(" of ").next().unwrap_or(step).to_owned()
}

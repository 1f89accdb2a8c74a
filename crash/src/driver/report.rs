//! What all runs showed, for people and as JSON.

mod totals;

use std::{collections::BTreeMap, fmt, time::Duration};

use serde_json::json;

pub(super) use self::totals::Totals;
use super::{catalog::Catalog, place::live::standing, plan::Plan, run::Ran};

/// Kills at named steps, for each step there is, from which on one that was never met is a fault of the harness.
const ENOUGH: usize = 3;
/// What stands in a list of steps for a random moment.
const RANDOM: &str = "a random moment";

/// The result of the command.
pub(super) struct Report<'a> {
    totals: Totals,
    catalog: &'a Catalog,
    /// Steps that nothing was killed at.
    unmet: Vec<&'a str>,
}

impl<'a> Report<'a> {
    pub(super) fn of(mut totals: Totals, catalog: &'a Catalog) -> Self {
        totals.takeovers.sort_unstable();
        let steps = catalog.steps.iter().map(|step| step.name.as_str());
        let unmet = steps.filter(|step| !totals.kills.contains_key(*step)).collect();
        Self { totals, catalog, unmet }
    }

    pub(super) fn is_green(&self) -> bool {
        self.totals.wrong.is_empty() && !self.misses_steps()
    }

    /// How many events were appended in each run while it went on.
    fn appended(&self) -> u64 {
        if self.totals.is_live { self.catalog.events - standing(self.catalog.events) } else { 0 }
    }

    /// Whether there were so many kills that every step should have had one.
    fn misses_steps(&self) -> bool {
        let kills: u64 = self.totals.kills.values().sum();
        !self.unmet.is_empty() && kills >= (ENOUGH * self.catalog.steps.len()) as u64
    }

    /// The shortest, the middle one, and the longest time to take over, in milliseconds.
    fn takeovers(&self) -> [u128; 3] {
        let all = &self.totals.takeovers;
        let at = |place: usize| all.get(place).map_or(0, Duration::as_millis);
        [at(0), at(all.len() / 2), at(all.len().saturating_sub(1))]
    }

    pub(super) fn json(&self) -> String {
        let totals = &self.totals;
        let [shortest, middle, longest] = self.takeovers();
        json!({
            "store": totals.store.name(),
            "events": self.catalog.events,
            "runs": totals.runs,
            "first_seed": totals.first_seed,
            "wrong_seeds": totals.wrong,
            "kills_by_step": totals.kills,
            "kills_at_random": totals.random_kills,
            "server_kills": totals.server_kills,
            "appended_meanwhile": self.appended(),
            "writer_kills": totals.writer_kills,
            "runs_with_writer_kills": totals.runs_with_writer_kills,
            "faults_while_appending": totals.while_appending,
            "stops_by_step": totals.stops,
            "steps": self.catalog.steps.len(),
            "steps_without_a_kill": self.unmet,
            "flushed_again": totals.again.iter().map(|(again, times)| (again.to_string(), *times)).collect::<BTreeMap<_, _>>(),
            "takeovers": totals.takeovers.len(),
            "takeover_ms": { "shortest": shortest, "median": middle, "longest": longest },
            "fenced": totals.fenced,
            "seconds": self.totals.took.as_secs(),
            "green": self.is_green(),
        })
        .to_string()
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let totals = &self.totals;
        let sum = |by_step: &BTreeMap<String, u64>| by_step.values().sum::<u64>();
        writeln!(f, "kills by step ({})", totals.store.name())?;
        for (step, kills) in &totals.kills {
            writeln!(f, "  {kills:>5}  {step}")?;
        }
        writeln!(f, "  {:>5}  {RANDOM}", totals.random_kills)?;
        if totals.server_kills > 0 {
            writeln!(f, "  {:>5}  the server, at a random moment", totals.server_kills)?;
        }
        if totals.writer_kills > 0 {
            writeln!(f, "  {:>5}  the process that appends, at a random moment", totals.writer_kills)?;
        }
        writeln!(f, "stops past the lease by step")?;
        for (step, stops) in &totals.stops {
            writeln!(f, "  {stops:>5}  {step}")?;
        }
        let last_seed = totals.first_seed + totals.runs.saturating_sub(1);
        writeln!(f)?;
        writeln!(f, "runs                       {} (seeds {} to {last_seed})", totals.runs, totals.first_seed)?;
        writeln!(f, "events, each run           {}", self.catalog.events)?;
        writeln!(
            f,
            "killed                     {} times at {} of {} named steps, {} at random, the server {}",
            sum(&totals.kills),
            totals.kills.len(),
            self.catalog.steps.len(),
            totals.random_kills,
            totals.server_kills
        )?;
        if totals.is_live {
            let (kills, runs) = (totals.writer_kills, totals.runs_with_writer_kills);
            writeln!(f, "appended meanwhile         {} events, each run", self.appended())?;
            writeln!(f, "the one who appends        killed {kills} times, in {runs} runs")?;
            writeln!(f, "the others, meanwhile      killed or stopped {} times", totals.while_appending)?;
        }
        writeln!(f, "stopped and continued      {} times", sum(&totals.stops))?;
        writeln!(f, "faults that came too late  {}", totals.missed)?;
        let again: Vec<String> =
            totals.again.iter().map(|(again, times)| format!("{again}: {times} times")).collect();
        writeln!(f, "batches flushed again      {} (per view and kill or takeover)", again.join(", "))?;
        let [shortest, middle, longest] = self.takeovers();
        let count = totals.takeovers.len();
        writeln!(
            f,
            "time to take over          {shortest} / {middle} / {longest} ms (shortest, median, longest of {count})"
        )?;
        writeln!(f, "batches refused as fenced  {}", totals.fenced)?;
        writeln!(f, "took                       {} s", self.totals.took.as_secs())?;
        if !self.unmet.is_empty() {
            writeln!(f, "steps without a kill       {}", self.unmet.join(", "))?;
        }
        match totals.wrong.as_slice() {
            [] if self.is_green() => write!(
                f,
                "every view equals that of a replay that nobody killed: {} of {} runs",
                totals.runs, totals.runs
            ),
            [] => write!(f, "FAILED: named steps without a kill"),
            seeds => write!(f, "FAILED: the seeds {seeds:?}; each is run again by --seed N --runs 1"),
        }
    }
}

/// A run in one line.
pub(super) fn line(ran: &Ran) -> String {
    let verdict = if ran.is_wrong() { "WRONG" } else { "right" };
    let stops = ran.stops.len();
    let kills = ran.kills.len() as u64 + ran.random_kills;
    let server = if ran.server_kills > 0 { ", the server killed" } else { "" };
    let writer = if ran.writer_kills > 0 { ", the writer killed" } else { "" };
    let again = ran.again.iter().max().unwrap_or(&0);
    format!(
        "seed {:>4}: {verdict}, {kills} kills, {stops} stops{server}{writer}, {again} flushed again at most, {:.1} s",
        ran.seed,
        ran.took.as_secs_f64()
    )
}

/// What was wrong with a run.
pub(super) fn wrong(ran: &Ran, plan: &Plan) -> String {
    let all = ran.wrong_views.iter().chain(&ran.wrong).map(|line| format!("    {line}\n"));
    format!("{}    kills: {:?}, stops: {:?}\n    plan: {plan}", all.collect::<String>(), ran.kills, ran.stops)
}

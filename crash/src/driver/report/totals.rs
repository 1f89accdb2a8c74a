//! What the runs so far add up to.

use std::{collections::BTreeMap, time::Duration};

use super::RANDOM;
use crate::{
    args::{Kind, RunArgs},
    driver::run::Ran,
};

/// The runs so far.
#[derive(Debug)]
pub(in crate::driver) struct Totals {
    pub(super) store: Kind,
    pub(super) first_seed: u64,
    pub(super) runs: u64,
    pub(super) wrong: Vec<u64>,
    pub(super) kills: BTreeMap<String, u64>,
    pub(super) stops: BTreeMap<String, u64>,
    pub(super) random_kills: u64,
    pub(super) server_kills: u64,
    /// Whether events were appended meanwhile.
    pub(super) is_live: bool,
    /// Kills of the process that appends.
    pub(super) writer_kills: u64,
    /// In how many runs it was killed.
    pub(super) runs_with_writer_kills: u64,
    /// Kills and stops of the others while it appended.
    pub(super) while_appending: u64,
    pub(super) again: BTreeMap<u64, u64>,
    pub(super) takeovers: Vec<Duration>,
    pub(super) fenced: u64,
    pub(super) missed: usize,
    /// All runs together.
    pub(super) took: Duration,
}

impl Totals {
    pub(in crate::driver) fn new(args: &RunArgs, store: Kind) -> Self {
        Self {
            store,
            first_seed: args.seed,
            runs: 0,
            wrong: Vec::new(),
            kills: BTreeMap::new(),
            stops: BTreeMap::new(),
            random_kills: 0,
            server_kills: 0,
            is_live: args.live,
            writer_kills: 0,
            runs_with_writer_kills: 0,
            while_appending: 0,
            again: BTreeMap::new(),
            takeovers: Vec::new(),
            fenced: 0,
            missed: 0,
            took: Duration::ZERO,
        }
    }

    pub(in crate::driver) fn add(&mut self, ran: Ran) {
        self.runs += 1;
        if ran.is_wrong() {
            self.wrong.push(ran.seed);
        }
        self.random_kills += ran.random_kills;
        self.server_kills += ran.server_kills;
        self.writer_kills += ran.writer_kills;
        self.runs_with_writer_kills += u64::from(ran.writer_kills > 0);
        self.while_appending += ran.while_appending;
        self.fenced += ran.fenced;
        self.missed += ran.missed;
        self.took += ran.took;
        ran.kills.into_iter().for_each(|step| *self.kills.entry(step).or_default() += 1);
        for step in ran.stops {
            let step = if step.is_empty() { RANDOM.to_owned() } else { step };
            *self.stops.entry(step).or_default() += 1;
        }
        ran.again.into_iter().for_each(|again| *self.again.entry(again).or_default() += 1);
        self.takeovers.extend(ran.takeovers);
    }
}

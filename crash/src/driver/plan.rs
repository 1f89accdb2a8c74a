//! The faults of one run, all from its seed.

use std::fmt;

use serde::Serialize;

use super::{
    catalog::{Catalog, Step},
    place::Place,
};
use crate::{args::Kind, random::Random};

/// What happens in a run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) batch_size: usize,
    /// With which batches grow beyond their size.
    pub(crate) memory_budget: Option<usize>,
    /// One for each process: what happens to its first start, its second, …; a start beyond them lives.
    pub(crate) processes: Vec<Vec<Fault>>,
    /// What happens to the starts of the process that appends, if there is one.
    pub(crate) writer: Option<Vec<Fault>>,
    /// How many milliseconds after the first the second process starts.
    pub(crate) second_after: u64,
    /// When the server is killed, in milliseconds from the beginning.
    pub(crate) server_killed: Option<u64>,
}

/// Something that happens to one start of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Fault {
    pub(crate) when: When,
    pub(crate) what: Do,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) enum When {
    /// At the nth time, counted from 1, that it reaches a step.
    Step(String, u64),
    /// So many milliseconds after its start.
    After(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum Do {
    Kill,
    /// Stopped; it goes on at the event, past its lease, or after a while.
    Stop(Until),
}

/// What a stopped process waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum Until {
    /// The other has taken over what it owned, and has flushed so many batches of it.
    Batches(u64),
    /// The other has nothing left to do.
    OtherDone,
    /// The other is stopped, too.
    OtherStopped,
    /// The other, which was stopped, has ended a batch since it goes on.
    OtherWent,
}

/// How many kills a run without a second process has at named steps; as many more at random moments.
const AT_STEPS: usize = 4;
const AT_RANDOM: usize = 2;
/// With a second process: at named steps, over both.
const AT_STEPS_OF_TWO: usize = 3;

impl Plan {
    pub(super) fn of(seed: u64, catalog: &Catalog, place: &Place) -> Self {
        let mut random = Random::new(seed);
        let events = catalog.events;
        let batch_size = random.of_any_size((events / 2000).clamp(50, 500), (events / 20).clamp(500, 50_000));
        // From one batch for a page or two to one for all of them.
        let most = u64::from(events.max(2).ilog2());
        let memory_budget = random.one_in(4).then(|| 1 << random.between(12, most));
        let picked = seed.wrapping_mul(AT_STEPS as u64);
        let mut planning = Planning { random, catalog, batch_size, memory_budget, picked };
        let processes = if seed % 2 == 1 { vec![planning.alone()] } else { planning.two() };
        let has_server = place.kind != Kind::Sqlite;
        let server_killed = (has_server && seed % 5 < 2).then(|| {
            let pace = u64::try_from(catalog.pace.as_millis()).unwrap_or(u64::MAX);
            pace / 10 + planning.random.below(pace)
        });
        let second_after = planning.random.below(500);
        let writer = place.is_live().then(|| planning.writer());
        let batch_size = usize::try_from(batch_size).unwrap_or(usize::MAX);
        Self { seed, memory_budget, second_after, batch_size, processes, writer, server_killed }
    }
}

struct Planning<'a> {
    random: Random,
    catalog: &'a Catalog,
    batch_size: u64,
    memory_budget: Option<usize>,
    /// Steps go round, so that so many runs meet them all.
    picked: u64,
}

impl Planning<'_> {
    fn alone(&mut self) -> Vec<Fault> {
        let mut faults: Vec<Fault> = Vec::new();
        let steps: Vec<Step> = (0..AT_STEPS).map(|_| self.pick()).collect();
        // What only the first start reaches comes first, and what only a later one does does not.
        let (mut first, mut later): (Vec<Step>, Vec<Step>) = steps.into_iter().partition(|step| step.later == 0);
        let begin = first.pop().or_else(|| {
            let at = later.iter().position(|step| step.first > 0)?;
            Some(later.remove(at))
        });
        let of = (AT_STEPS + AT_RANDOM) as u64;
        faults.extend(begin.map(|step| self.kill_at(&step, step.first, of)));
        for step in later {
            let fault = self.kill_at(&step, step.later, of);
            faults.push(fault);
        }
        for _ in 0..AT_RANDOM {
            let place = self.random.between(u64::from(!faults.is_empty()), faults.len() as u64);
            let fault = Fault { when: self.moment(of), what: Do::Kill };
            faults.insert(usize::try_from(place).unwrap_or(0), fault);
        }
        faults
    }

    /// Two processes: kills of both, and one of them is stopped past its lease.
    fn two(&mut self) -> Vec<Vec<Fault>> {
        let of = AT_STEPS_OF_TWO as u64 + 2;
        let mut processes = vec![Vec::new(), Vec::new()];
        for nth in 0..AT_STEPS_OF_TWO {
            let step = self.pick();
            let (process, reached) =
                if nth == 0 && step.first > 0 { (0, step.first) } else { (nth % 2, step.later) };
            let fault = self.kill_at(&step, reached.max(1), of);
            processes[process].push(fault);
        }
        let stopped = usize::from(self.random.one_in(3));
        let when = if self.random.one_in(3) {
            self.moment(of)
        } else {
            let step = self.pick_within_a_batch();
            Fault::at(&step.name, self.occurrence(&step, step.first.max(step.later), of))
        };
        let until =
            if self.random.one_in(3) { Until::OtherDone } else { Until::Batches(self.random.between(1, 20)) };
        let stop = Fault { when, what: Do::Stop(until) };
        let later = if self.random.one_in(2) { processes[stopped].len() } else { 0 };
        processes[stopped].insert(later, stop);
        if self.random.one_in(2) {
            let fault = Fault { when: self.moment(of), what: Do::Kill };
            processes[1 - stopped].push(fault);
        }
        processes
    }

    /// Two kills at the most, none in a third of the runs.
    fn writer(&mut self) -> Vec<Fault> {
        let kills = self.random.below(3);
        (0..kills).map(|_| Fault { when: self.moment(kills + 1), what: Do::Kill }).collect()
    }

    fn pick(&mut self) -> Step {
        let steps = &self.catalog.steps;
        let place = self.picked % steps.len().max(1) as u64;
        self.picked += 1;
        steps[usize::try_from(place).unwrap_or(0)].clone()
    }

    fn pick_within_a_batch(&mut self) -> Step {
        let all: Vec<&Step> = self.catalog.steps.iter().filter(|step| step.is_within_a_batch()).collect();
        let place = self.random.below(all.len() as u64);
        all[usize::try_from(place).unwrap_or(0)].clone()
    }

    fn kill_at(&mut self, step: &Step, reached: u64, of: u64) -> Fault {
        Fault { when: Fault::at(&step.name, self.occurrence(step, reached, of)), what: Do::Kill }
    }

    /// Which time it is reached: so that `of` faults find their place in one replay.
    fn occurrence(&mut self, step: &Step, reached: u64, of: u64) -> u64 {
        let spread = match step.per_batch {
            // How many batches there will be, nobody knows.
            true if self.memory_budget.is_some() => 4,
            true => reached * self.catalog.batch_size / self.batch_size.max(1) / (of + 1),
            false if reached > 40 => reached / (of + 1),
            false => reached,
        };
        self.random.between(1, spread.max(1))
    }

    fn moment(&mut self, of: u64) -> When {
        let pace = u64::try_from(self.catalog.pace.as_millis()).unwrap_or(u64::MAX);
        When::After(50 + self.random.below(2 * pace / of))
    }
}

impl Fault {
    pub(super) fn at(step: &str, nth: u64) -> When {
        When::Step(step.to_owned(), nth)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).unwrap_or_default())
    }
}

//! One run: its processes driven to their end, then what they left compared.

mod judge;

use std::{
    collections::BTreeMap,
    fs::File,
    time::{Duration, Instant},
};

use anyhow::Result;

pub(super) use self::judge::Ran;
use super::{
    catalog::Catalog,
    compare::Reference,
    place::Place,
    plan::{Plan, Until},
    slot::{End, Slot},
};
use crate::{
    journal::{Journal, Reader, What},
    order::{Mutant, Order},
};

/// The lease of the children: short, so that a takeover is.
pub(super) const LEASE: Duration = Duration::from_secs(1);
/// The process that appends.
pub(super) const WRITER: &str = "W";
/// How often the driver looks.
const LOOK: Duration = Duration::from_millis(5);
/// How much longer than its lease a process stays stopped at least.
const PAST_ITS_LEASE: Duration = Duration::from_millis(300);
/// How long a process stays stopped at the most: it may hold what the other waits for.
const LONGEST_STOP: Duration = Duration::from_secs(8);
/// How often a process may fail to start, while the server is away.
const MOST_STARTS: u32 = 100;
/// How long the server stays away.
const SERVER_AWAY: Duration = Duration::from_millis(300);

/// A run in progress.
pub(super) struct Run<'a> {
    name: String,
    plan: &'a Plan,
    reference: &'a Reference,
    slots: Vec<Slot>,
    journal: Journal,
    reader: Reader,
    log: File,
    began: Instant,
    limit: Duration,
    server_killed_at: Option<Instant>,
    faults: Vec<String>,
}

impl<'a> Run<'a> {
    pub(super) async fn new(
        place: &Place,
        reference: &'a Reference,
        catalog: &Catalog,
        plan: &'a Plan,
        mutant: Option<Mutant>,
    ) -> Result<Self> {
        let name = format!("run-{}", plan.seed);
        let path = place.journal(&name);
        let journal = Journal::open(&path)?;
        let live = place.begin(&name, plan.seed).await?;
        let began = Instant::now();
        let run = name.clone();
        let order = |name: &str| Order {
            name: name.to_owned(),
            events: place.events_home(&run),
            views: place.views_home(&run),
            batch_size: plan.batch_size,
            memory_budget: plan.memory_budget,
            lease_ms: u64::try_from(LEASE.as_millis()).unwrap_or(u64::MAX),
            journal: path.clone(),
            at: None,
            mutant,
            live: live.clone(),
            is_writer: name == WRITER,
        };
        let delays = [Duration::ZERO, Duration::from_millis(plan.second_after)];
        let slots = ["A", "B"].into_iter().zip(delays).zip(&plan.processes);
        let slots = slots.map(|((name, delay), faults)| Slot::new(order(name), faults.clone(), began + delay));
        let writer = plan.writer.iter().map(|faults| Slot::new(order(WRITER), faults.clone(), began));
        Ok(Self {
            slots: slots.chain(writer).collect(),
            plan,
            reference,
            reader: Reader::open(&path)?,
            log: File::options().create(true).append(true).open(path.with_extension("log"))?,
            journal,
            began,
            limit: Duration::from_secs(120) + catalog.pace * 20,
            server_killed_at: plan.server_killed.map(|after| began + Duration::from_millis(after)),
            faults: Vec::new(),
            name,
        })
    }

    /// Until every process is done.
    pub(super) async fn drive(mut self, place: &mut Place) -> Result<Ran> {
        while !self.slots.iter().all(|slot| slot.is_done) {
            if self.began.elapsed() > self.limit {
                self.faults.push(format!("not done after {} s", self.limit.as_secs()));
                break;
            }
            self.read()?;
            self.strike_server(place).await?;
            for process in 0..self.slots.len() {
                self.tend(process)?;
            }
            tokio::time::sleep(LOOK).await;
        }
        self.reader.advance()?;
        let took = self.began.elapsed();
        let missed = self.slots.iter().map(Slot::missed).sum();
        let Self { name, plan, reference, slots, reader, faults, .. } = self;
        // What hangs must not write while it is read.
        drop(slots);
        let mut ran = Ran::of(&reader.lines, place.kind, plan.seed, faults);
        (ran.took, ran.missed) = (took, missed);
        ran.compare(place, &name, reference).await?;
        place.clear(&name).await?;
        Ok(ran)
    }

    /// Reads what the processes have written, and sees which has stopped itself.
    fn read(&mut self) -> Result<()> {
        let from = self.reader.advance()?;
        for (place, line) in self.reader.lines.iter().enumerate().skip(from) {
            if let What::Signals { stop: true, .. } = line.what
                && let Some(slot) = self.slots.iter_mut().find(|slot| slot.pid() == Some(line.pid))
            {
                slot.has_stopped(place);
            }
        }
        Ok(())
    }

    fn tend(&mut self, process: usize) -> Result<()> {
        let may_go_on = self.may_go_on(process);
        let (slot, journal) = (&mut self.slots[process], &self.journal);
        slot.start(journal, &self.log)?;
        slot.strike(journal, self.reader.lines.len())?;
        if may_go_on {
            slot.go_on(journal)?;
        }
        let end = slot.look()?;
        let (name, gives_up) = (slot.name().to_owned(), slot.not_started > MOST_STARTS);
        match end {
            Some(End::NotStarted) if gives_up => {
                slot.is_done = true;
                self.fault(&name, "could not start")?;
            }
            Some(End::Failed(status)) => self.fault(&name, &format!("ended with {status}"))?,
            _ => {}
        }
        Ok(())
    }

    fn fault(&mut self, name: &str, what: &str) -> Result<()> {
        self.reader.advance()?;
        self.faults.push(format!("process {name} {what}: {}", self.cause()));
        Ok(())
    }

    /// What the last process that failed wrote down.
    fn cause(&self) -> &str {
        let mut causes = self.reader.lines.iter().rev().filter_map(|line| match &line.what {
            What::Failed(cause) => Some(cause.as_str()),
            _ => None,
        });
        causes.next().unwrap_or("it wrote no cause")
    }

    /// Whether a stopped process has been stopped for long enough.
    fn may_go_on(&self, process: usize) -> bool {
        let Some(stopped) = self.slots[process].stopped() else { return false };
        let others = || self.slots.iter().enumerate().filter(|(other, _)| *other != process).map(|(_, slot)| slot);
        let waited = stopped.since.elapsed();
        let other_done = others().all(|slot| slot.is_done);
        let it_came = match stopped.until {
            Until::Batches(least) => self.batches_of_others(process, stopped.line) >= least || other_done,
            Until::OtherDone => other_done,
            Until::OtherStopped => others().any(|slot| slot.stopped().is_some()),
            Until::OtherWent => self.other_went(process, stopped.line),
        };
        waited > LONGEST_STOP || (it_came && waited > LEASE + PAST_ITS_LEASE)
    }

    /// How many batches others have flushed since of what this one owned.
    fn batches_of_others(&self, process: usize, since: usize) -> u64 {
        let pid = self.slots[process].pid().unwrap_or(0);
        let mut owners: BTreeMap<&str, u32> = BTreeMap::new();
        for line in &self.reader.lines[..since] {
            if let What::Owner { projection, .. } = &line.what {
                owners.insert(projection, line.pid);
            }
        }
        let taken_over = self.reader.lines[since..].iter().filter(|line| match &line.what {
            What::End { projection, ended, .. } => {
                line.pid != pid && ended.is_whole() && owners.get(projection.as_str()) == Some(&pid)
            }
            _ => false,
        });
        taken_over.count() as u64
    }

    /// Whether the other was stopped, went on, and has ended a batch.
    fn other_went(&self, process: usize, since: usize) -> bool {
        let pid = self.slots[process].pid();
        let mut others = self.reader.lines[since..].iter().filter(|line| Some(line.pid) != pid);
        others.any(|line| line.what == What::Continued) && others.any(|line| matches!(line.what, What::End { .. }))
    }

    async fn strike_server(&mut self, place: &mut Place) -> Result<()> {
        if self.server_killed_at.is_none_or(|at| Instant::now() < at) {
            return Ok(());
        }
        self.server_killed_at = None;
        if let Some(server) = &mut place.server {
            self.journal.write_of(server.pid(), What::ServerKilled)?;
            server.kill()?;
            tokio::time::sleep(SERVER_AWAY).await;
            server.start_again().await?;
        }
        Ok(())
    }
}

//! One of the processes of a run: started, killed, stopped, continued, started again.

use std::{
    collections::VecDeque,
    fs::File,
    os::unix::process::ExitStatusExt as _,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal as Posix, kill_process};

use super::plan::{Do, Fault, Until, When};
use crate::{
    child::NOT_STARTED,
    journal::{Journal, What},
    order::{At, Order, Signal},
};

/// Before a child that could not start is started again.
const PAUSE: Duration = Duration::from_millis(300);

/// A process, over all its starts.
#[derive(Debug)]
pub(super) struct Slot {
    /// What is the same for each start.
    order: Order,
    faults: VecDeque<Fault>,
    /// When it is started, while it does not run.
    start_at: Option<Instant>,
    running: Option<Running>,
    pub(super) is_done: bool,
    pub(super) not_started: u32,
}

#[derive(Debug)]
struct Running {
    child: Child,
    fault: Option<Fault>,
    /// When the fault comes, if at a moment.
    due: Option<Instant>,
    stopped: Option<Stopped>,
}

/// Since when a process is stopped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stopped {
    pub(super) since: Instant,
    pub(super) until: Until,
    /// How many lines the journal had.
    pub(super) line: usize,
}

/// How a start ended.
pub(super) enum End {
    Done,
    /// By a kill, the driver's or its own.
    Killed,
    NotStarted,
    Failed(ExitStatus),
}

impl Slot {
    pub(super) fn new(order: Order, faults: Vec<Fault>, start_at: Instant) -> Self {
        let (start_at, running) = (Some(start_at), None);
        Self { order, faults: faults.into(), start_at, running, is_done: false, not_started: 0 }
    }

    pub(super) fn name(&self) -> &str {
        &self.order.name
    }

    pub(super) fn pid(&self) -> Option<u32> {
        self.running.as_ref().map(|running| running.child.id())
    }

    pub(super) fn stopped(&self) -> Option<Stopped> {
        self.running.as_ref()?.stopped
    }

    /// How many faults never came.
    pub(super) fn missed(&self) -> usize {
        self.faults.len()
    }

    /// Starts it if it is time to.
    pub(super) fn start(&mut self, journal: &Journal, log: &File) -> Result<()> {
        if self.start_at.is_none_or(|at| Instant::now() < at) {
            return Ok(());
        }
        self.start_at = None;
        let fault = self.faults.front().cloned();
        let at = match &fault {
            Some(Fault { when: When::Step(step, nth), what }) => {
                let signal = if *what == Do::Kill { Signal::Kill } else { Signal::Stop };
                Some(At { step: step.clone(), nth: *nth, signal })
            }
            _ => None,
        };
        let order = serde_json::to_string(&Order { at, ..self.order.clone() })?;
        let child = Command::new(std::env::current_exe()?)
            .args(["child", &order])
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log.try_clone()?)
            .spawn()
            .context("a child cannot be started")?;
        journal.write_of(child.id(), What::Spawned(self.order.name.clone()))?;
        let due = match fault {
            Some(Fault { when: When::After(delay), .. }) => Some(Instant::now() + Duration::from_millis(delay)),
            _ => None,
        };
        self.running = Some(Running { child, fault, due, stopped: None });
        Ok(())
    }

    /// Does what is due at this moment.
    pub(super) fn strike(&mut self, journal: &Journal, line: usize) -> Result<()> {
        let Some(running) = &mut self.running else { return Ok(()) };
        if running.due.is_none_or(|due| Instant::now() < due) {
            return Ok(());
        }
        running.due = None;
        match running.fault.as_ref().map(|fault| fault.what) {
            Some(Do::Kill) => {
                journal.write_of(running.child.id(), What::Killed)?;
                running.child.kill()?;
            }
            Some(Do::Stop(until)) => {
                journal.write_of(running.child.id(), What::Stopped)?;
                signal(&running.child, Posix::STOP)?;
                running.stopped = Some(Stopped { since: Instant::now(), until, line });
                self.faults.pop_front();
            }
            None => {}
        }
        Ok(())
    }

    /// It has stopped itself.
    pub(super) fn has_stopped(&mut self, line: usize) {
        if let Some(running) = &mut self.running
            && let Some(Fault { what: Do::Stop(until), .. }) = running.fault
        {
            running.stopped = Some(Stopped { since: Instant::now(), until, line });
            self.faults.pop_front();
        }
    }

    pub(super) fn go_on(&mut self, journal: &Journal) -> Result<()> {
        if let Some(running) = &mut self.running {
            journal.write_of(running.child.id(), What::Continued)?;
            running.stopped = None;
            signal(&running.child, Posix::CONT)?;
        }
        Ok(())
    }

    /// Looks whether it has ended, and has it started again if it was killed.
    pub(super) fn look(&mut self) -> Result<Option<End>> {
        let Some(running) = &mut self.running else { return Ok(None) };
        let Some(status) = running.child.try_wait()? else { return Ok(None) };
        let fault = running.fault.take();
        self.running = None;
        let end = if status.success() {
            self.is_done = true;
            End::Done
        } else if status.signal() == Some(Posix::KILL.as_raw()) {
            if fault.is_some_and(|fault| fault.what == Do::Kill) {
                self.faults.pop_front();
            }
            self.start_at = Some(Instant::now());
            End::Killed
        } else if status.code() == Some(NOT_STARTED.into()) {
            self.not_started += 1;
            self.start_at = Some(Instant::now() + PAUSE);
            End::NotStarted
        } else {
            self.is_done = true;
            End::Failed(status)
        };
        Ok(Some(end))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(running) = &mut self.running {
            // It may have ended already.
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

fn signal(child: &Child, signal: Posix) -> Result<()> {
    let Some(pid) = Pid::from_raw(child.id().cast_signed()) else { bail!("a child has no process id") };
    kill_process(pid, signal).context("a child cannot be signalled")
}

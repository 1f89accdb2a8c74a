//! The named steps of a child's way: counted, and at one of them the child signals itself.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use anyhow::Result;
use rustix::process;

use crate::{
    journal::{Journal, What},
    order::{At, Order, Signal},
};

/// The call of a storage trait that a task is in, so that a command of the driver knows what it is for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    pub(super) name: &'static str,
    /// Empty where the call is of no single one.
    pub(super) projection: &'static str,
}

tokio::task_local! {
    static CALL: Call;
}

impl Call {
    /// The call that this task is in.
    pub(super) fn current() -> Option<Self> {
        CALL.try_with(|call| *call).ok()
    }
}

/// Counts steps.
#[derive(Debug)]
pub(super) struct Steps {
    at: Option<At>,
    counts: Mutex<BTreeMap<String, u64>>,
    pub(super) journal: Journal,
}

impl Steps {
    pub(super) fn of(order: &Order) -> Result<Self> {
        let journal = Journal::open(&order.journal)?;
        Ok(Self { at: order.at.clone(), counts: Mutex::default(), journal })
    }

    /// The process is at `step`. If it is to end or stop there, it does.
    pub(super) fn reached(&self, step: &str, projection: &str) {
        let of_projection = format!("{step} of {projection}");
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for name in [step, &of_projection] {
            let count = counts.entry(name.to_owned()).or_default();
            *count += 1;
            let here = self.at.as_ref().filter(|at| at.step == name && at.nth == *count);
            if let Some(at) = here {
                let stop = at.signal == Signal::Stop;
                // Without the line the driver would wait in vain, and say so.
                let _ = self.journal.write(What::Signals { step: at.step.clone(), stop });
                let signal = if stop { process::Signal::STOP } else { process::Signal::KILL };
                let _ = process::kill_process(process::getpid(), signal);
            }
        }
    }

    /// A step before and one after a call of a storage trait.
    pub(super) async fn around<T>(
        &self,
        name: &'static str,
        projection: &'static str,
        call: impl Future<Output = T>,
    ) -> T {
        self.reached(&format!("before {name}"), projection);
        let done = CALL.scope(Call { name, projection }, call).await;
        self.reached(&format!("after {name}"), projection);
        done
    }

    /// How often each step was reached; not told apart by projection.
    pub(super) fn counts(&self) -> Vec<(String, u64)> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let all = counts.iter().filter(|(step, _)| !step.contains(" of "));
        all.map(|(step, count)| (step.clone(), *count)).collect()
    }

    /// A line in the journal. Should it fail, the driver sees that something is missing.
    pub(super) fn note(&self, what: What) {
        let _ = self.journal.write(what);
    }
}

/// The name of a projection, for as long as the process lives: there are four of them.
pub(super) fn name_of(projection: &str) -> &'static str {
    crate::views::NAMES.into_iter().find(|name| *name == projection).unwrap_or("")
}

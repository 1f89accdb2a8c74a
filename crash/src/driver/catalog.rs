//! The named steps of this store, as a replay without faults and one with a single kill reach them.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};

use super::{
    compare::Reference,
    place::Place,
    plan::{Do, Fault, Plan},
    run::Run,
};
use crate::random::Random;

/// A step, and how often a replay reaches it.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) name: String,
    /// By a first start.
    pub(crate) first: u64,
    /// By a start after a kill.
    pub(crate) later: u64,
    /// Whether smaller batches reach it more often.
    pub(crate) per_batch: bool,
}

impl Step {
    /// Whether a batch is on its way there.
    pub(super) fn is_within_a_batch(&self) -> bool {
        ["load", "commit", "save checkpoint", "checkpoint passed"].iter().any(|call| self.name.ends_with(call))
    }
}

/// All steps, in an order that is random and always the same.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) steps: Vec<Step>,
    /// How long a replay takes that nobody disturbs.
    pub(crate) pace: Duration,
    /// The batch size with which steps were counted.
    pub(crate) batch_size: u64,
    pub(crate) events: u64,
}

impl Catalog {
    /// Replays twice. Should that already give wrong views, nothing else needs to be tried.
    pub(super) async fn take(place: &mut Place, reference: &Reference) -> Result<Self> {
        let batch_size = (reference.events / 100).max(200);
        let mut catalog = Self { steps: Vec::new(), pace: Duration::ZERO, batch_size, events: reference.events };
        let began = Instant::now();
        let first = catalog.count(place, reference, batch_size, Vec::new()).await?;
        catalog.pace = began.elapsed();
        let kill = Fault { when: Fault::at("before commit", 12), what: Do::Kill };
        let later = catalog.count(place, reference, batch_size / 4, vec![kill]).await?;

        let mut names: Vec<&String> = first.keys().chain(later.keys()).collect();
        names.sort_unstable();
        names.dedup();
        let steps = names.into_iter().map(|name| {
            let of = |counts: &BTreeMap<String, u64>| counts.get(name).copied().unwrap_or(0);
            let (first, later) = (of(&first), of(&later));
            let per_batch = first > 0 && later > 2 * first;
            let later = if per_batch { later / 4 } else { later };
            Step { name: name.clone(), first, later, per_batch }
        });
        catalog.steps = steps.collect();
        shuffle(&mut catalog.steps);
        Ok(catalog)
    }

    async fn count(
        &self,
        place: &mut Place,
        reference: &Reference,
        batch_size: u64,
        faults: Vec<Fault>,
    ) -> Result<BTreeMap<String, u64>> {
        let batch_size = usize::try_from(batch_size)?;
        let plan = Plan {
            seed: 0,
            batch_size,
            memory_budget: None,
            processes: vec![faults],
            writer: place.is_live().then(Vec::new),
            second_after: 0,
            server_killed: None,
        };
        let ran = Run::new(place, reference, self, &plan, None).await?.drive(place).await?;
        if ran.is_wrong() {
            let all = ran.wrong_views.iter().chain(&ran.wrong);
            bail!("it is wrong without a fault:\n{}", all.cloned().collect::<Vec<_>>().join("\n"));
        }
        Ok(ran.steps)
    }
}

/// Neighbours in the order of names are parts of one call; runs shall have kills of all kinds.
fn shuffle(steps: &mut [Step]) {
    let mut random = Random::new(0);
    for place in (1..steps.len()).rev() {
        let other = random.below(place as u64 + 1);
        steps.swap(place, usize::try_from(other).unwrap_or(place));
    }
}

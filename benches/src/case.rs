//! One history, all ways: each once to count, then in turn, several times; then a kill.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::{
    Args,
    args::{Concern, TargetKind},
    child,
    dataset::Dataset,
    generate::Shape,
    kill::{self, Killed, Middle},
    measure::{Measured, Spread},
    mongo,
    options::Tuning,
    spec::{Place, Spec, Work},
    sqlite,
    way::Way,
};

/// How many events the plain batch is counted on.
const COUNTED: u64 = 50_000;

/// How long the killed process owns the view after its death: the next one need not wait as long as by default.
const KILLED_LEASE: Duration = Duration::from_secs(5);

/// What was measured on one history.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) shape: Shape,
    /// Bytes of an event, as it is stored, on average.
    pub(crate) event_bytes: f64,
    pub(crate) ways: Vec<WayRuns>,
    pub(crate) killed: Option<Killed>,
}

/// The runs of one way.
#[derive(Debug)]
pub(crate) struct WayRuns {
    pub(crate) way: Way,
    pub(crate) counted: Measured,
    pub(crate) measured: Vec<Measured>,
}

/// Measures all ways over the history of this shape.
pub(crate) async fn measure(args: &Args, place: &Place, shape: Shape) -> Result<Case> {
    let dataset = match place {
        Place::Mongo { uri } => mongo::prepare(uri, &shape).await?,
        Place::Sqlite { directory } => sqlite::prepare(directory, &shape).await?,
    };
    let bench = Bench { args, place, shape, dataset };
    let mut ways = Vec::new();
    for way in Way::all(matches!(place, Place::Mongo { .. })) {
        eprintln!("{} over {} instances: counting {}", shape.events, shape.instances, way.title());
        ways.push(WayRuns { way, counted: bench.run(way, true).await?, measured: Vec::new() });
    }
    for round in 0..args.repeat as usize {
        eprintln!("{} over {} instances: round {}", shape.events, shape.instances, round + 1);
        // Nobody is always first, or always after the same one.
        for place in 0..ways.len() {
            let turn = (place + round) % ways.len();
            let measured = bench.run(ways[turn].way, false).await?;
            eprintln!("  {}: {:.2} s", ways[turn].way.title(), measured.seconds);
            ways[turn].measured.push(measured);
        }
    }
    let mut case = Case { shape, event_bytes: dataset.event_bytes, ways, killed: None };
    case.killed = Some(bench.kill(case.seconds(Way::Rebuild)).await?);
    match place {
        Place::Mongo { uri } => mongo::clean_up(uri, &shape, args.forget).await?,
        Place::Sqlite { directory } => sqlite::clean_up(directory, &shape, args.forget)?,
    }
    Ok(case)
}

impl Case {
    pub(crate) fn runs(&self, way: Way) -> Option<&WayRuns> {
        self.ways.iter().find(|runs| runs.way == way)
    }

    /// The median; 0 for what was not measured.
    pub(crate) fn seconds(&self, way: Way) -> f64 {
        self.runs(way).and_then(|runs| runs.spread(|run| run.seconds)).map_or(0.0, |spread| spread.median)
    }

    /// Events a second, the median; 0 for what was not measured.
    pub(crate) fn rate(&self, way: Way) -> f64 {
        self.runs(way).and_then(|runs| runs.spread(Measured::rate)).map_or(0.0, |spread| spread.median)
    }
}

impl WayRuns {
    pub(crate) fn spread(&self, value: impl Fn(&Measured) -> f64) -> Option<Spread> {
        Spread::of(self.measured.iter().map(value))
    }
}

struct Bench<'a> {
    args: &'a Args,
    place: &'a Place,
    shape: Shape,
    dataset: Dataset,
}

impl Bench<'_> {
    async fn run(&self, way: Way, counting: bool) -> Result<Measured> {
        self.make_ready(way).await?;
        let measured = child::measured(&self.spec(way, counting)).await?;
        self.check(way, &measured).await?;
        Ok(measured)
    }

    fn spec(&self, way: Way, counting: bool) -> Spec {
        let events = match way {
            way if way.is_sampled() => self.args.sample.min(self.shape.events),
            Way::PlainBatch if counting => COUNTED.min(self.shape.events),
            _ => self.shape.events,
        };
        let majority = match way {
            Way::PerEvent => true,
            Way::PerEventOne => false,
            _ => self.args.write_concern == Concern::Majority,
        };
        let tuning = Tuning {
            rebuild: way == Way::Rebuild,
            batch_size: self.args.batch_size,
            memory_budget: self.args.memory_budget.map(|mebibytes| mebibytes << 20),
            ..Tuning::default()
        };
        let work = Work::Accounts { shape: self.shape, way, events, majority };
        Spec { place: self.place.clone(), work, tuning, counting, telling: false }
    }

    /// Kills a rebuild in its middle. It may lose an eighth of its work at most, so that there is something to resume.
    async fn kill(&self, seconds: f64) -> Result<Killed> {
        eprintln!("{} over {} instances: killing a rebuild", self.shape.events, self.shape.instances);
        self.make_ready(Way::Rebuild).await?;
        let mut spec = self.spec(Way::Rebuild, false);
        spec.tuning.lease = Some(KILLED_LEASE);
        spec.tuning.max_loss = Some(Duration::from_secs_f64((seconds / 8.0).max(0.02)));
        let Dataset { first, last, .. } = self.dataset;
        let middle =
            Middle { first, past: first + (last - first) / 3, patience: Duration::from_secs_f64(seconds * 2.0) };
        let killed = kill::kill_and_resume(&spec, middle).await?;
        let whole = Measured { events: killed.events, ..Measured::default() };
        self.check(Way::Rebuild, &whole).await?;
        Ok(killed)
    }

    async fn make_ready(&self, way: Way) -> Result<()> {
        match self.place {
            Place::Mongo { uri } => mongo::make_ready(uri, &self.shape, way, self.is_filled()).await,
            Place::Sqlite { .. } if self.is_filled() => bail!("`--target filled` is measured in MongoDB only"),
            Place::Sqlite { directory } => sqlite::make_ready(directory),
        }
    }

    async fn check(&self, way: Way, measured: &Measured) -> Result<()> {
        match self.place {
            Place::Mongo { uri } => {
                mongo::check(uri, &self.dataset, &self.shape, way, measured, self.is_filled()).await
            }
            Place::Sqlite { directory } => sqlite::check(directory, &self.dataset, &self.shape, way, measured),
        }
    }

    fn is_filled(&self) -> bool {
        self.args.target == TargetKind::Filled
    }
}

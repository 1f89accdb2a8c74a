//! The driver: brings a store, replays once without a fault, then again and again with faults, and compares.

mod catalog;
mod compare;
pub(crate) mod history;
mod measures;
mod mongod;
mod mutation;
mod place;
mod plan;
mod record;
mod report;
mod run;
mod slot;

use std::{path::Path, process::ExitCode, time::Instant};

use anyhow::{Result, bail};

use self::{
    catalog::Catalog,
    compare::Reference,
    place::Place,
    plan::Plan,
    record::Record,
    report::{Report, Totals},
    run::Run,
};
use crate::args::{Kind, RunArgs};

/// The MongoDB database of the events.
pub(crate) const HISTORY: &str = "history";

/// The views of a replay that nobody kills, written to a file: in a process of its own, whose memory goes with it.
pub(crate) async fn reference(data: &Path, out: &Path) -> Result<ExitCode> {
    compare::write_reference(data, out).await?;
    Ok(ExitCode::SUCCESS)
}

/// All runs, or all mutants.
pub(crate) async fn run(args: &RunArgs) -> Result<ExitCode> {
    match (args.mutate, args.store) {
        (Some(broken), _) => mutation::run(args, broken.mutants()).await,
        (None, Some(kind)) => runs(kind, args).await,
        (None, None) => bail!("--store says which store is meant: mongo, mongo-standalone or sqlite"),
    }
}

async fn runs(kind: Kind, args: &RunArgs) -> Result<ExitCode> {
    let began = Instant::now();
    let mut place = Place::prepare(kind, args).await?;
    let reference = Reference::of(&args.data, place.folder())?;
    let catalog = Catalog::take(&mut place, &reference).await?;
    eprintln!(
        "{}: {} events, {} documents, {} named steps, {:.1} s without a fault; prepared in {:.1} s",
        kind.name(),
        reference.events,
        reference.count(),
        catalog.steps.len(),
        catalog.pace.as_secs_f64(),
        began.elapsed().as_secs_f64()
    );
    let mut totals = Totals::new(args, kind);
    let mut record = Record::open(args, kind, reference.events)?;
    for seed in args.seed..args.seed + args.runs {
        if let Some(ran) = record.take(seed) {
            totals.add(ran);
            continue;
        }
        let plan = Plan::of(seed, &catalog, &place);
        let run = Run::new(&place, &reference, &catalog, &plan, None).await?;
        let ran = run.drive(&mut place).await?;
        eprintln!("{}", report::line(&ran));
        if ran.is_wrong() {
            eprintln!("{}", report::wrong(&ran, &plan));
        }
        record.keep(&ran)?;
        totals.add(ran);
    }
    let report = Report::of(totals, &catalog);
    println!("{report}");
    if args.json {
        println!("{}", report.json());
    }
    Ok(if report.is_green() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

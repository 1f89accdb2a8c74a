//! The whole benchmark: every history, the flights, and what is said of them.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::{Args, args::StoreKind, case, child, flights, generate::Shape, report::Report, spec::Place};

/// Measures and reports. Fails if a view was wrong, or a run is void.
///
/// # Errors
///
/// When the store does not do what it is asked, or a view does not hold what the events make.
pub async fn run(args: &Args) -> Result<ExitCode> {
    if let Some(spec) = &args.child {
        child::run(spec).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let place = match args.store {
        StoreKind::Mongo => Place::Mongo { uri: args.mongo.clone() },
        StoreKind::Sqlite => Place::Sqlite { directory: args.cache.clone() },
    };
    let mut report = Report { args, cases: Vec::new(), flights: None };
    for instances in args.instances.iter().filter(|_| !args.only_flights) {
        let Args { events, event_bytes, seed, .. } = *args;
        let shape = Shape { events, instances: *instances, event_bytes, seed };
        report.cases.push(case::measure(args, &place, shape).await?);
    }
    if let Some(file) = &args.flights {
        if args.store == StoreKind::Sqlite {
            bail!("the flights are replayed in MongoDB only: leave `--flights` out");
        }
        report.flights = Some(flights::measure(args, file).await?);
    }
    print!("{}", report.table());
    if let Some(file) = &args.plot {
        std::fs::write(file, report.plot()).with_context(|| format!("cannot write {}", file.display()))?;
    }
    if args.json {
        println!("{}", report.json());
    }
    let void: Vec<_> = report.cases.iter().filter_map(crate::report::void).collect();
    void.iter().for_each(|why| eprintln!("void: {why}"));
    Ok(if void.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

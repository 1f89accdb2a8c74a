//! Mechanisms broken on purpose, each where its loss must show: the harness has to report wrong views for every one.

use std::process::ExitCode;

use anyhow::{Result, bail};

use super::{
    catalog::Catalog,
    compare::Reference,
    place::Place,
    plan::{Do, Fault, Plan, Until},
    report,
    run::Run,
};
use crate::{
    args::{Kind, RunArgs},
    order::Mutant,
    random::Random,
};

/// How many seeds are tried until the loss shows.
const TRIES: u64 = 20;

/// What a mutant was found to have done.
struct Found {
    mutant: Mutant,
    kind: Kind,
    seed: u64,
    views: Vec<String>,
}

/// Runs each mutant until its views are wrong. The same faults without it must leave right ones.
pub(super) async fn run(args: &RunArgs, mutants: Vec<Mutant>) -> Result<ExitCode> {
    let mut found = Vec::new();
    for kind in [Kind::Mongo, Kind::MongoStandalone] {
        let those: Vec<Mutant> = mutants.iter().copied().filter(|mutant| kind_for(*mutant) == kind).collect();
        if those.is_empty() {
            continue;
        }
        let mut place = Place::prepare(kind, args).await?;
        let reference = Reference::of(&args.data, place.folder())?;
        let catalog = Catalog::take(&mut place, &reference).await?;
        for mutant in those {
            found.push(until_it_shows(args, mutant, &mut place, &reference, &catalog).await?);
        }
    }
    for Found { mutant, kind, seed, views } in &found {
        let verdict = if views.is_empty() { "NOT FOUND" } else { "found" };
        println!("{mutant:<26} {verdict}, {}, seed {seed}", kind.name());
        views.iter().for_each(|line| println!("    {line}"));
    }
    let all = found.iter().all(|found| !found.views.is_empty());
    if args.json {
        let json = found.iter().map(|found| {
            serde_json::json!({
                "mutant": found.mutant, "store": found.kind.name(), "seed": found.seed,
                "wrong_views": found.views,
            })
        });
        println!("{}", serde_json::json!({ "mutants": json.collect::<Vec<_>>(), "green": all }));
    }
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn until_it_shows(
    args: &RunArgs,
    mutant: Mutant,
    place: &mut Place,
    reference: &Reference,
    catalog: &Catalog,
) -> Result<Found> {
    let mut found = Found { mutant, kind: place.kind, seed: args.seed, views: Vec::new() };
    for seed in args.seed..args.seed + TRIES {
        let plan = plan(mutant, seed, catalog);
        let run = Run::new(place, reference, catalog, &plan, Some(mutant)).await?;
        let ran = run.drive(place).await?;
        eprintln!("{mutant}: {}", report::line(&ran));
        found.seed = seed;
        if ran.wrong_views.is_empty() {
            continue;
        }
        found.views = ran.wrong_views;
        let whole = Run::new(place, reference, catalog, &plan, None).await?.drive(place).await?;
        if !whole.wrong_views.is_empty() {
            eprintln!("{}", report::wrong(&whole, &plan));
            bail!("with {mutant} the views are wrong, and without it, too: seed {seed}");
        }
        break;
    }
    Ok(found)
}

/// The store in which nothing else makes up for the loss.
fn kind_for(mutant: Mutant) -> Kind {
    match mutant {
        Mutant::Checkpoint | Mutant::Fence => Kind::Mongo,
        Mutant::Guard | Mutant::Tombstone | Mutant::Epoch | Mutant::Duplicates => Kind::MongoStandalone,
    }
}

/// The faults under which the loss must show.
fn plan(mutant: Mutant, seed: u64, catalog: &Catalog) -> Plan {
    let mut random = Random::new(seed);
    let batch_size = (catalog.events / random.between(60, 120)).max(20);
    let mut at = |step: &str, low, high, what| Fault { when: Fault::at(step, random.between(low, high)), what };
    let processes = match mutant {
        Mutant::Checkpoint => vec![vec![at("between checkpoint and flush", 5, 100, Do::Kill)]],
        Mutant::Duplicates => vec![vec![at("before save checkpoint", 5, 100, Do::Kill)]],
        // It writes what it had computed, long after another has gone on.
        Mutant::Guard | Mutant::Fence => {
            let step = "between fence and flush of airport-days";
            vec![vec![at(step, 3, 30, Do::Stop(Until::OtherDone))], Vec::new()]
        }
        // It inserts what the other has deleted meanwhile, and of which the tombstone is gone.
        Mutant::Epoch => {
            let step = "before insert view in commit of airborne";
            vec![vec![at(step, 3, 30, Do::Stop(Until::OtherDone))], Vec::new()]
        }
        // It inserts what the other has deleted meanwhile, and of which the tombstone is about to go.
        Mutant::Tombstone => {
            let first = "before insert view in commit of airborne";
            let second = "before checkpoint passed of airborne";
            vec![
                vec![at(first, 3, 30, Do::Stop(Until::OtherStopped))],
                vec![at(second, 2, 3, Do::Stop(Until::OtherWent))],
            ]
        }
    };
    let batch_size = usize::try_from(batch_size).unwrap_or(usize::MAX);
    Plan { seed, batch_size, memory_budget: None, processes, writer: None, second_after: 400, server_killed: None }
}

//! Replays that are killed wherever they can be: the package `crash`, built, and given what it needs.

use std::path::PathBuf;
use std::process::ExitStatus;

use anyhow::Result;
use clap::ValueEnum;

use crate::cargo::{self, cargo};
use crate::interrupt::Signals;
use crate::{data, paths, services};

/// What to run.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Crash {
    /// mongo (a replica set of one), mongo-standalone, or sqlite
    #[arg(long, required_unless_present = "mutate")]
    store: Option<String>,
    /// How many runs, each with a seed of its own
    #[arg(long, default_value_t = 20)]
    runs: u64,
    /// The seed of the first run; those after it count on
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Which flights [default: the whole year; the first week for --mutate and --live]
    #[arg(long)]
    data: Option<Data>,
    /// Append half of the flights while the others are replayed: of the first week, if no flights are named
    #[arg(long, conflicts_with = "mutate")]
    live: bool,
    /// Break a mechanism on purpose, and succeed if wrong views are reported: guard, checkpoint, fence, tombstone,
    /// epoch, duplicates, or all of them
    #[arg(long, value_name = "NAME", conflicts_with = "store")]
    mutate: Option<String>,
    /// Put the result on the last line, as JSON
    #[arg(long)]
    json: bool,
    /// Keep what each run showed in a file, and count those that it holds already instead of running them again
    #[arg(long, value_name = "FILE", conflicts_with = "mutate")]
    record: Option<PathBuf>,
    /// Leave the folder of the runs where it is
    #[arg(long)]
    keep: bool,
}

/// Which flights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Data {
    /// The whole year
    Full,
    /// The first week, which is in the repository
    Sample,
}

impl Crash {
    /// A few runs over the first week.
    pub(crate) fn short(store: &str, runs: u64) -> Self {
        let (store, data) = (Some(store.to_owned()), Some(Data::Sample));
        Self { store, runs, seed: 1, data, live: false, mutate: None, json: false, record: None, keep: false }
    }

    /// A few runs over the first week, half of which is appended meanwhile.
    pub(crate) fn short_and_live(store: &str, runs: u64) -> Self {
        Self { live: true, ..Self::short(store, runs) }
    }

    /// Each mechanism broken, over the first week.
    pub(crate) fn all_mutants() -> Self {
        let mutate = Some("all".to_owned());
        Self { store: None, mutate, ..Self::short("", 0) }
    }

    fn data(&self) -> Data {
        self.data.unwrap_or(if self.mutate.is_some() || self.live { Data::Sample } else { Data::Full })
    }

    fn arguments(&self, data: PathBuf, mongod: Option<PathBuf>) -> Vec<std::ffi::OsString> {
        let mut arguments: Vec<std::ffi::OsString> =
            ["run", "--quiet", "--release", "--package", "crash", "--", "run", "--data"].map(Into::into).into();
        arguments.push(data.into());
        let mut option = |name: &str, value: std::ffi::OsString| arguments.extend([name.into(), value]);
        option("--seed", self.seed.to_string().into());
        if let Some(mutant) = &self.mutate {
            option("--mutate", mutant.into());
        } else if let Some(store) = &self.store {
            option("--store", store.into());
            option("--runs", self.runs.to_string().into());
        }
        if let Some(mongod) = mongod {
            option("--mongod", mongod.into());
        }
        if let Some(record) = &self.record {
            option("--record", record.into());
        }
        arguments.extend(self.live.then(|| "--live".into()));
        arguments.extend(self.json.then(|| "--json".into()));
        arguments.extend(self.keep.then(|| "--keep".into()));
        arguments
    }
}

/// Builds the harness, and runs it.
pub(crate) async fn run(crash: &Crash, signals: &mut Signals) -> Result<ExitStatus> {
    let data = match crash.data() {
        Data::Full => signals.or(data::year()).await?,
        Data::Sample => paths::root().join("examples/flights/data/flights-2013-01-01-to-07.csv"),
    };
    let needs_mongod = crash.store.as_deref() != Some("sqlite");
    let mongod = if needs_mongod { Some(signals.or(services::mongod()).await?) } else { None };
    cargo::run(cargo(crash.arguments(data, mongod)), signals).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(crash: &Crash) -> String {
        let arguments = crash.arguments("flights.csv".into(), Some("mongod".into()));
        let text: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
        text.join(" ").replace("run --quiet --release --package crash -- run ", "")
    }

    #[test]
    fn a_store_is_run_so_many_times_from_a_seed_on() {
        let expected = "--data flights.csv --seed 1 --store mongo --runs 6 --mongod mongod";
        assert_eq!(arguments(&Crash::short("mongo", 6)), expected);
    }

    #[test]
    fn live_traffic_is_of_the_first_week() {
        let expected = "--data flights.csv --seed 1 --store sqlite --runs 2 --mongod mongod --live";
        assert_eq!(arguments(&Crash::short_and_live("sqlite", 2)), expected);
        assert_eq!(Crash { data: None, ..Crash::short_and_live("mongo", 1) }.data(), Data::Sample);
    }

    #[test]
    fn mutants_are_looked_for_in_the_first_week() {
        assert_eq!(arguments(&Crash::all_mutants()), "--data flights.csv --seed 1 --mutate all --mongod mongod");
        assert_eq!(Crash { data: None, ..Crash::all_mutants() }.data(), Data::Sample);
        assert_eq!(Crash { data: None, ..Crash::short("sqlite", 1) }.data(), Data::Full);
    }
}

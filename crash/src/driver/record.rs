//! The runs that are over, a line for each in a file: a command that was broken off goes on after them.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{ErrorKind, Write as _},
};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::run::Ran;
use crate::args::{Kind, RunArgs};

/// What was run before, and where the next goes.
pub(super) struct Record {
    file: Option<File>,
    before: BTreeMap<u64, Ran>,
    about: About,
}

/// What a run must have in common with others to be counted with them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct About {
    store: String,
    live: bool,
    events: u64,
}

#[derive(Deserialize)]
struct Line {
    about: About,
    ran: Ran,
}

#[derive(Serialize)]
struct LineRef<'a> {
    about: &'a About,
    ran: &'a Ran,
}

impl Record {
    /// The runs of this kind that the file holds, if one is named.
    pub(super) fn open(args: &RunArgs, kind: Kind, events: u64) -> Result<Self> {
        let about = About { store: kind.name().to_owned(), live: args.live, events };
        let Some(path) = &args.record else {
            return Ok(Self { file: None, before: BTreeMap::new(), about });
        };
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text.with_context(|| format!("{} cannot be read", path.display()))?,
        };
        // The last line may have been cut off with the process.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut before = BTreeMap::new();
        for line in whole.lines() {
            let line: Line = serde_json::from_str(line)
                .with_context(|| format!("{} is not a record of runs", path.display()))?;
            if line.about == about {
                before.insert(line.ran.seed, line.ran);
            }
        }
        if whole.len() + 1 < text.len() {
            fs::write(path, format!("{whole}\n"))?;
        }
        let file = File::options().create(true).append(true).open(path)?;
        Ok(Self { file: Some(file), before, about })
    }

    /// The run of a seed, if it is over already.
    pub(super) fn take(&mut self, seed: u64) -> Option<Ran> {
        self.before.remove(&seed)
    }

    /// Keeps a run that is over.
    pub(super) fn keep(&mut self, ran: &Ran) -> Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let line = LineRef { about: &self.about, ran };
        file.write_all(format!("{}\n", serde_json::to_string(&line)?).as_bytes())?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, Command};
    use clap::Parser as _;

    fn args(record: &std::path::Path) -> RunArgs {
        let record = record.to_str().unwrap();
        let args = Args::parse_from(["crash", "run", "--data", "flights.csv", "--record", record]);
        let Command::Run(args) = args.command else { panic!("it runs") };
        args
    }

    #[test]
    fn runs_that_were_kept_are_found_again_but_not_what_was_cut_off_or_is_of_another_store() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        let args = args(&path);
        let mut record = Record::open(&args, Kind::Sqlite, 7).unwrap();
        record.keep(&Ran { seed: 3, fenced: 2, ..Ran::default() }).unwrap();
        fs::write(&path, format!("{}{{\"about\":", fs::read_to_string(&path).unwrap())).unwrap();

        let mut record = Record::open(&args, Kind::Sqlite, 7).unwrap();
        assert_eq!(record.take(3).map(|ran| ran.fenced), Some(2));
        assert!(record.take(4).is_none());
        record.keep(&Ran { seed: 4, ..Ran::default() }).unwrap();
        assert!(Record::open(&args, Kind::Sqlite, 7).unwrap().take(4).is_some(), "after what was cut off");
        assert!(Record::open(&args, Kind::Sqlite, 8).unwrap().take(3).is_none(), "other flights");
        assert!(Record::open(&args, Kind::Mongo, 7).unwrap().take(3).is_none(), "another store");
    }
}

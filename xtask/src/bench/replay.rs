//! The replay benchmark, with the server and the data that it needs.

use anyhow::Result;

use super::program::Program;
use crate::{data, interrupt::Signals, paths};

/// Leaves out the flights; not known to the benchmark itself.
const NO_FLIGHTS: &str = "--no-flights";

/// Builds the benchmark, brings what it needs, and runs it with these flags.
pub(crate) async fn run(mut flags: Vec<String>, signals: &mut Signals) -> Result<()> {
    let needs = Needs::of(&flags);
    flags.retain(|flag| flag != NO_FLIGHTS);
    flags.extend(["--cache".to_owned(), paths::target_dir().join("bench").display().to_string()]);
    if needs.flights {
        let year = signals.or(data::year()).await?;
        flags.extend(["--flights".to_owned(), year.display().to_string()]);
    }
    let replay = Program("benches", "--bin", "replay");
    if !needs.server {
        return replay.run(&flags, signals).await;
    }
    let started =
        "this server ends with the benchmark, and the histories with it: `cargo xtask services up` keeps them";
    replay.run_on_a_server(flags, Some(started), signals).await
}

/// What these flags ask for.
#[derive(Debug, PartialEq)]
struct Needs {
    server: bool,
    flights: bool,
}

impl Needs {
    fn of(flags: &[String]) -> Self {
        let has = |flag: &str| flags.iter().any(|given| given == flag);
        let with_value =
            |flag: &str| flags.iter().any(|given| given == flag || given.starts_with(&format!("{flag}=")));
        let only_help = has("--help") || has("-h");
        let sqlite = has("--store=sqlite") || flags.windows(2).any(|pair| pair == ["--store", "sqlite"]);
        Self {
            server: !only_help && !sqlite && !with_value("--mongo"),
            flights: !only_help && !sqlite && !has(NO_FLIGHTS) && !with_value("--flights"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(flags: &str) -> Needs {
        Needs::of(&flags.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn by_default_a_server_and_the_flights_are_brought() {
        assert_eq!(needs("--json"), Needs { server: true, flights: true });
        assert_eq!(needs("--no-flights --events 10"), Needs { server: true, flights: false });
    }

    #[test]
    fn sqlite_needs_neither_and_so_does_a_question() {
        let nothing = Needs { server: false, flights: false };
        assert_eq!(needs("--store sqlite"), nothing);
        assert_eq!(needs("--store=sqlite"), nothing);
        assert_eq!(needs("--help"), nothing);
    }

    #[test]
    fn what_is_named_is_not_brought() {
        assert_eq!(needs("--mongo mongodb://h --flights=f.csv"), Needs { server: false, flights: false });
    }
}

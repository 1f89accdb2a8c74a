//! What the rows of a file say is what the report says.

#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test, what fails is to panic")]

use flights::{
    figures::Checks,
    input::{self, Malformed},
    memory,
    report::Report,
    run::{Outcome, RunOptions, run},
};
use projection_core::memory::InMemoryViews;

const WEEK: &str = include_str!("../data/flights-2013-01-01-to-07.csv");

/// The outcome of a file, and its malformed rows.
async fn outcome(file: &str) -> (Outcome, Vec<Malformed>) {
    let mut malformed = Vec::new();
    let history = input::read(file.as_bytes(), |row| malformed.push(row)).unwrap();
    let events = memory::events_of(&history).unwrap();
    let views = InMemoryViews::new();
    let options = RunOptions { events: history.len(), malformed: malformed.len() as u64, ..RunOptions::default() };
    (run(events, views.clone(), &views, options, |_| {}).await.unwrap(), malformed)
}

fn report(outcome: &Outcome, malformed: &[Malformed]) -> String {
    Report { figures: &outcome.figures, summary: &outcome.summary, malformed }.to_string()
}

/// Without the rows that `out` picks, by their fields.
fn without(out: impl Fn(&[&str]) -> bool) -> String {
    let keep = |line: &&str| !out(&line.split(',').collect::<Vec<_>>());
    WEEK.lines().filter(keep).collect::<Vec<_>>().join("\n")
}

const DEP_TIME: usize = 3;
const ARR_TIME: usize = 6;
const TAILNUM: usize = 11;

#[tokio::test]
async fn the_first_week_is_in_the_stored_documents() {
    let (Outcome { figures, summary }, malformed) = outcome(WEEK).await;
    assert_eq!(malformed, []);
    assert_eq!(summary.checks, Checks { flights: 6099, departed: 6064, arrived: 6061, cancelled: 35 });
    assert_eq!(summary.events, 6099 + 6064 + 6061 + 35);
    assert_eq!(summary.instances["flights"], 6099);
    assert_eq!(summary.instances["airborne"], 3);
    assert_eq!(figures.carriers.len(), 15);
}

#[tokio::test]
async fn the_last_line_is_one_json_object() {
    let report = report(&outcome(WEEK).await.0, &[]);
    let last = report.lines().last().unwrap();
    assert_eq!(
        last,
        r#"{"events":18259,"skipped":8,"malformed":0,"instances":{"airborne":3,"aircraft":2048,"airport-days":634,"carriers":15,"flights":6099,"records":1,"routes":186},"checks":{"flights":6099,"departed":6064,"arrived":6061,"cancelled":35}}"#
    );
    assert!(report.ends_with('\n'));
}

#[tokio::test]
async fn rows_that_are_taken_out_are_missing_in_the_checks() {
    let (cancelled, _) = outcome(&without(|row| row[DEP_TIME] == "NA")).await;
    assert_eq!(cancelled.summary.checks, Checks { flights: 6064, departed: 6064, arrived: 6061, cancelled: 0 });

    let (lost, _) = outcome(&without(|row| row[DEP_TIME] != "NA" && row[ARR_TIME] == "NA")).await;
    assert_eq!(lost.summary.checks, Checks { flights: 6096, departed: 6061, arrived: 6061, cancelled: 35 });
    assert_eq!(lost.summary.instances["airborne"], 0);
}

#[tokio::test]
async fn what_tells_of_no_aircraft_is_skipped_by_the_aircraft_alone() {
    let (outcome, _) = outcome(&without(|row| row[TAILNUM] == "NA")).await;
    assert_eq!(outcome.summary.skipped, 0);
    let checks = outcome.summary.checks;
    assert_eq!(checks, Checks { flights: 6091, cancelled: 27, ..checks });
}

#[tokio::test]
async fn malformed_rows_are_named_and_the_others_counted() {
    let mut lines: Vec<String> = WEEK.lines().map(str::to_owned).collect();
    lines[9] = lines[9].replace("2013,1,1", "2013,1,one");
    lines[19] = lines[19].split_once(',').unwrap().1.to_owned();
    lines.push("not a flight at all".to_owned());
    let (outcome, rows) = outcome(&lines.join("\n")).await;
    assert_eq!(
        rows.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "line 10: day is \"one\", and should be a whole number from 0 to 65535",
            "line 20: 18 fields; a flight has 19",
            "line 6101: 1 fields; a flight has 19",
        ]
    );
    assert_eq!(outcome.summary.malformed, 3);
    let report = report(&outcome, &rows[..2]);
    assert!(report.contains("\n    10  day is \"one\", and should be"), "{report}");
    assert!(report.contains("\n     …  and 1 more\n"), "{report}");
    assert_eq!(outcome.summary.checks.flights, 6097);
}

#[tokio::test]
async fn a_file_of_no_flights_has_an_empty_report() {
    let (outcome, _) = outcome(WEEK.lines().next().unwrap()).await;
    assert_eq!(outcome.summary.events, 0);
    assert_eq!(outcome.summary.checks, Checks::default());
    assert_eq!(outcome.summary.instances["records"], 0);
}

//! The SQLite file: its import goes on, and any program can look into it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test, what fails is to panic")]

use std::{cell::Cell, path::Path};

use flights::{
    history::FlightHistory,
    input,
    run::{Outcome, RunOptions, run},
    sqlite::{FileError, FlightsFile, Imported},
};
use projection_sqlite::rusqlite::Connection;
use tokio_util::sync::CancellationToken;

const WEEK: &str = include_str!("../data/flights-2013-01-01-to-07.csv");

fn history(csv: &str) -> FlightHistory {
    input::read(csv.as_bytes(), |row| panic!("{row}")).unwrap()
}

async fn import(file: &FlightsFile, history: &FlightHistory) -> Result<Imported, FileError> {
    file.import(history, 0, &CancellationToken::new(), |_| {}).await
}

/// A file with the week, replayed.
async fn week(path: &Path) -> Outcome {
    let file = FlightsFile::open(path).await.unwrap();
    let history = history(WEEK);
    import(&file, &history).await.unwrap();
    let options = RunOptions { events: history.len(), ..RunOptions::default() };
    run(file.events(), file.views(), &file, options, |_| {}).await.unwrap()
}

/// Every event, without the two columns that stand in all for themselves.
fn events(path: &Path) -> Vec<(i64, String, i64, String, String)> {
    let plain = Connection::open(path).unwrap();
    let mut select =
        plain.prepare("SELECT position, stream, stream_version, time, data FROM events ORDER BY position").unwrap();
    let rows =
        select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[tokio::test]
async fn an_import_that_was_stopped_goes_on_after_its_last_event() {
    let folder = tempfile::tempdir().unwrap();
    let (stopped, whole) = (folder.path().join("stopped.db"), folder.path().join("whole.db"));
    let (file, history, stop) =
        (FlightsFile::open(&stopped).await.unwrap(), history(WEEK), CancellationToken::new());
    let last = Cell::new(0);
    let imported = file.import(&history, 0, &stop, |there| {
        last.set(there);
        if there > 0 {
            stop.cancel();
        }
    });
    assert_eq!(imported.await.unwrap(), Imported::Stopped { after: last.get() });
    assert!(0 < last.get() && last.get() < history.len());
    assert!(matches!(file.held_whole().await, Err(FileError::NoHistory { .. })));
    assert_eq!(import(&file, &history).await.unwrap(), Imported::Now { after: last.get() });
    assert_eq!(import(&file, &history).await.unwrap(), Imported::Before);

    import(&FlightsFile::open(&whole).await.unwrap(), &history).await.unwrap();
    assert!(events(&stopped) == events(&whole), "the events are not those of an import in one go");
}

#[tokio::test]
async fn another_history_and_another_program_s_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let file = FlightsFile::open(&path).await.unwrap();
    import(&file, &history(&WEEK.lines().take(10).collect::<Vec<_>>().join("\n"))).await.unwrap();
    let error = import(&file, &history(WEEK)).await.unwrap_err();
    assert!(error.to_string().contains("holds another history, of 27 events: empty it with --reset"), "{error}");
    assert_eq!(import(&file.reset().await.unwrap(), &history(WEEK)).await.unwrap(), Imported::Now { after: 0 });

    let other = folder.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE history (what TEXT)").unwrap();
    let error = FlightsFile::open(&other).await.unwrap_err();
    assert!(error.to_string().contains("other.db holds something else"), "{error}");
}

#[tokio::test]
async fn any_program_sees_views_as_rows_with_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("week.db");
    let outcome = week(&path).await;
    let plain = Connection::open(&path).unwrap();

    let all = plain.prepare("SELECT * FROM carriers").unwrap();
    assert_eq!(all.column_names().collect::<Vec<_>>(), ["id", "state", "position"]);
    let number = |select: &str| -> i64 { plain.query_row(select, [], |row| row.get(0)).unwrap() };
    assert_eq!(number("SELECT sum(json_extract(state, '$.departed')) FROM carriers"), 6064);
    assert_eq!(number("SELECT sum(state ->> 'arrived') FROM carriers"), 6061);
    assert_eq!(number("SELECT count(*) FROM flights WHERE json_extract(state, '$.cancelled')"), 35);
    assert_eq!(number("SELECT count(*) FROM flights WHERE NOT json_valid(state)"), 0);
    assert_eq!(number("SELECT count(*) FROM airborne"), 3);
    assert_eq!(number("SELECT count(*) FROM events WHERE json_extract(data, '$.flight.carrier') = 'UA'"), {
        let (_, united) = outcome.figures.carriers.iter().find(|(id, _)| id.as_str() == "UA").unwrap();
        united.scheduled + united.departed + united.arrived + united.cancelled
    });
    let busiest = "SELECT id FROM \"airport-days\" ORDER BY json_extract(state, '$.departures') DESC, id LIMIT 1";
    let busiest: String = plain.query_row(busiest, [], |row| row.get(0)).unwrap();
    assert_eq!(busiest, outcome.figures.busiest_to_leave[0].0.as_str());
}

//! The program, ended in the middle and run again: it says where it goes on, and its result is that of a run that was
//! never ended.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test, what fails is to panic")]

use std::{
    env,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use projection_sqlite::rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// How long something may take that a busy machine does slowly.
const LIMIT: Duration = Duration::from_secs(120);

struct File(TempDir);

impl File {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("week.db")
    }

    fn run(&self, args: &[&str]) -> Command {
        let mut command = flights();
        command.arg("--sqlite").arg(self.path()).args(args);
        command
    }

    /// A run in the background, whose batches are so small that it takes a while.
    fn begin(&self) -> Child {
        self.run(&["--batch-size", "1"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Asks until the answer is at least `least`. What is not there yet is 0.
    fn wait_for(&self, select: &str, least: i64, child: &mut Child) {
        let begun = Instant::now();
        let ask = || -> Option<i64> {
            let file = self.path();
            // Opening makes no file: SQLite would have it to itself for a moment.
            file.is_file().then(|| Connection::open(file).ok()?.query_row(select, [], |row| row.get(0)).ok())?
        };
        while ask().unwrap_or(0) < least {
            assert_eq!(child.try_wait().unwrap(), None, "it ended before it could be ended");
            assert!(begun.elapsed() < LIMIT, "{select} stays below {least}");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The built example, which cargo puts beside the tests.
fn flights() -> Command {
    let tests = env::current_exe().unwrap();
    let program = tests.ancestors().nth(2).unwrap().join("examples/flights");
    assert!(program.is_file(), "{} is missing: `cargo test -p flights` builds it", program.display());
    Command::new(program)
}

/// What it said, and the last line of its report.
fn ended(output: &Output) -> (String, String) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let report = String::from_utf8_lossy(&output.stdout);
    (said, report.lines().last().unwrap_or_default().to_owned())
}

fn never_ended() -> String {
    ended(&flights().arg("--memory").output().unwrap()).1
}

/// In how many views something is stored.
const VIEWS_BEGUN: &str = r#"SELECT count(*) FROM "projection.checkpoints" WHERE position > 0"#;

fn goes_on(file: &File) {
    let (said, result) = ended(&file.run(&[]).output().unwrap());
    assert!(said.contains("carriers goes on after event "), "{said}");
    assert!(said.contains(" of 18,259"), "{said}");
    assert_eq!(result, never_ended());

    let (said, result) = ended(&file.run(&[]).output().unwrap());
    assert!(said.contains("all views are up to date with 18,259 events"), "{said}");
    assert_eq!(result, never_ended());
}

// spec: P10, B13
#[test]
fn ctrl_c_in_the_middle_of_the_replay_ends_it_in_good_order_and_the_next_run_goes_on() {
    let file = File::new();
    let mut child = file.begin();
    file.wait_for(VIEWS_BEGUN, 7, &mut child);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("stopped; run again, and it goes on from here"), "{said}");
    goes_on(&file);
}

// spec: P10, B13
#[test]
fn a_replay_that_is_killed_goes_on_where_it_was() {
    let file = File::new();
    let mut child = file.begin();
    file.wait_for(VIEWS_BEGUN, 7, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    goes_on(&file);
}

#[test]
fn an_import_that_is_killed_doubles_nothing() {
    let file = File::new();
    let mut child = file.begin();
    file.wait_for("SELECT count(*) FROM events", 1, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    let (_, result) = ended(&file.run(&[]).output().unwrap());
    assert_eq!(result, never_ended());
    assert_eq!(events(&file.path()), 18_259);
}

#[test]
fn a_rebuild_begins_at_the_first_event_and_leaves_the_history() {
    let file = File::new();
    let (_, result) = ended(&file.run(&[]).output().unwrap());
    let (said, rebuilt) = ended(&file.run(&["--rebuild"]).output().unwrap());
    assert!(said.contains("the history is in the file already"), "{said}");
    assert!(said.contains("all views begin at the first of 18,259 events"), "{said}");
    assert_eq!(rebuilt, result);
}

fn events(path: &Path) -> i64 {
    let file = Connection::open(path).unwrap();
    file.query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap()
}

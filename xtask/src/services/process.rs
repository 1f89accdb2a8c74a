//! Whether a recorded process is still the one that was started, and how it is ended.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use super::record::Record;

/// How long a server may take to end by itself: it writes a last checkpoint of its data.
const TERM_LIMIT: Duration = Duration::from_secs(20);
/// How long the system may take to end a killed one.
const KILL_LIMIT: Duration = Duration::from_secs(10);

/// Whether the recorded process runs and is the recorded server: a process number is used again sooner or later.
pub(super) fn runs(record: &Record) -> bool {
    command_line(record.pid).is_some_and(|line| serves(&line, &record.folder))
}

/// Ends the recorded server; asks first.
pub(super) async fn end(record: &Record) -> Result<()> {
    for (signal, name, limit) in [(Signal::TERM, "SIGTERM", TERM_LIMIT), (Signal::KILL, "SIGKILL", KILL_LIMIT)] {
        let pid = Pid::from_raw(record.pid.cast_signed()).context("the recorded process has number 0")?;
        if runs(record) {
            // An error means that it has ended in this moment, or will be said below.
            _ = kill_process(pid, signal);
        }
        let until = Instant::now() + limit;
        while Instant::now() < until {
            if !runs(record) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        eprintln!("mongod (process {}) is still there {} s after {name}", record.pid, limit.as_secs());
    }
    bail!("mongod (process {}) cannot be ended", record.pid)
}

/// Whether a command line is that of a server with its data in the folder; its arguments end in zeros, or, from `ps`,
/// in spaces. A dead process that nobody waited for has an empty one.
fn serves(command_line: &str, folder: &Path) -> bool {
    let folder = folder.display();
    command_line.contains(&format!("--dbpath\0{folder}/")) || command_line.contains(&format!("--dbpath {folder}/"))
}

/// The arguments of a process, if there is one.
fn command_line(pid: u32) -> Option<String> {
    let bytes = if cfg!(target_os = "linux") {
        std::fs::read(format!("/proc/{pid}/cmdline")).ok()?
    } else {
        Command::new("ps").args(["-ww", "-o", "command=", "-p", &pid.to_string()]).output().ok()?.stdout
    };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLDER: &str = "/t/projection-mongod-a1";

    #[test]
    fn a_process_that_serves_the_folder_is_the_one_that_was_started() {
        assert!(serves("/bin/mongod\0--dbpath\0/t/projection-mongod-a1/db\0", Path::new(FOLDER)));
    }

    #[test]
    fn a_folder_with_a_space_in_its_path_is_recognized() {
        assert!(serves("mongod\0--dbpath\0/a b/m-1/db\0", Path::new("/a b/m-1")));
        assert!(serves("mongod --dbpath /a b/m-1/db --port 1", Path::new("/a b/m-1")));
    }

    #[test]
    fn another_process_with_the_same_number_is_not() {
        assert!(!serves("/bin/mongod\0--dbpath\0/t/projection-mongod-a12/db\0", Path::new(FOLDER)));
        assert!(!serves("/bin/sleep\x00100\0", Path::new(FOLDER)));
    }

    #[test]
    fn a_dead_process_that_nobody_waited_for_does_not_run() {
        assert!(!serves("", Path::new(FOLDER)));
    }

    #[tokio::test]
    async fn a_record_of_another_process_is_stale_and_that_process_is_left_alone() {
        let mut other = Command::new("sleep").arg("100").spawn().unwrap();
        let record = Record {
            mongodb_uri: String::new(),
            pid: other.id(),
            folder: FOLDER.into(),
            mongod: None,
            started_at: String::new(),
        };
        assert!(!runs(&record));
        end(&record).await.unwrap();
        assert!(other.try_wait().unwrap().is_none());
        other.kill().unwrap();
        other.wait().unwrap();
    }
}

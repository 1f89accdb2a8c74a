//! One `mongod` being started: until it can be used, whatever goes wrong ends it.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::record::Record;
use super::replica_set;

/// What the name of each temporary folder begins with.
pub(super) const FOLDER_PREFIX: &str = "projection-mongod-";

/// A port that is free when we look can be taken when `mongod` does.
pub(super) const PORTS_TO_TRY: u32 = 3;

/// How long the server may take until it takes writes; a cold disk has to bring 140 MB of program.
const START_LIMIT: Duration = Duration::from_secs(90);

const LOG: &str = "mongod.log";
const LOG_LINES_SHOWN: usize = 15;

/// A server on its way up. Dropped before [`finish`](Self::finish), it is killed and its folder removed.
pub(super) struct Starting {
    child: Child,
    folder: TempDir,
    port: u16,
    record: Record,
    finished: bool,
}

impl Starting {
    /// Starts the program on a free port, in a process group of its own: a Ctrl-C in our terminal is not meant for it.
    pub(super) fn spawn(binary: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix(FOLDER_PREFIX).tempdir()?;
        let data = folder.path().join("db");
        fs::create_dir(&data)?;
        let log = File::create(folder.path().join(LOG))?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let child = Command::new(binary)
            .arg("--dbpath")
            .arg(&data)
            .args(["--port", &port.to_string(), "--replSet", replica_set::NAME, "--bind_ip", "127.0.0.1"])
            .args(["--nounixsocket", "--oplogSize", "64", "--wiredTigerCacheSizeGB", "0.5"])
            .args(["--setParameter", "enableTestCommands=1"])
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot run {}", binary.display()))?;
        let record = Record {
            mongodb_uri: format!(
                "mongodb://127.0.0.1:{port}/?replicaSet={}&directConnection=true",
                replica_set::NAME
            ),
            pid: child.id(),
            folder: folder.path().to_owned(),
            mongod: Some(binary.to_owned()),
            started_at: OffsetDateTime::now_utc().replace_nanosecond(0)?.format(&Rfc3339)?,
        };
        let starting = Self { child, folder, port, record, finished: false };
        starting.record.begin()?;
        Ok(starting)
    }

    /// Waits until the server takes writes. `false` if its port was taken: another may do.
    pub(super) async fn is_ready(&mut self) -> Result<bool> {
        let (port, uri) = (self.port, self.record.mongodb_uri.clone());
        let ready = async {
            replica_set::initiate(port, START_LIMIT).await?;
            replica_set::wait_for_primary(&uri, START_LIMIT).await
        };
        let why = tokio::select! {
            status = self.death() => format!("mongod ended at its start, with {}", status?),
            result = ready => match result {
                Ok(()) => return Ok(true),
                Err(e) => format!("mongod does not come up: {e:#}"),
            },
        };
        let log = fs::read(self.folder.path().join(LOG)).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        if log.contains("Address already in use") {
            return Ok(false);
        }
        bail!("{why}; the last lines of its log:\n{}{}", tail(&log, LOG_LINES_SHOWN), advice(&log))
    }

    async fn death(&mut self) -> Result<ExitStatus> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Lets the server live on after us.
    pub(super) fn finish(mut self) -> Result<Record> {
        Record::finish()?;
        self.finished = true;
        self.folder.disable_cleanup(true);
        Ok(self.record.clone())
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        if !self.finished {
            // Nothing better can be done about an error here; the next run looks again.
            _ = self.child.kill();
            _ = self.child.wait();
            _ = Record::cancel();
        }
    }
}

fn tail(log: &str, lines: usize) -> String {
    let all = log.lines().collect::<Vec<_>>();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// What helps against the commonest failure on a bare machine.
fn advice(log: &str) -> &'static str {
    if log.contains("error while loading shared libraries") {
        "\na system library that mongod needs is missing: install it (on Debian and Ubuntu the package libcurl4 \
         brings them), or put another mongod on PATH"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_of_a_log_is_its_last_lines() {
        assert_eq!(tail("1\n2\n3\n", 2), "2\n3");
        assert_eq!(tail("1\n", 2), "1");
        assert_eq!(tail("", 2), "");
    }

    #[test]
    fn a_missing_library_is_answered_with_the_package_that_has_it() {
        let log = "mongod: error while loading shared libraries: libcurl.so.4: cannot open shared object file";
        assert!(advice(log).contains("libcurl4"));
        assert_eq!(advice("anything else"), "");
    }
}

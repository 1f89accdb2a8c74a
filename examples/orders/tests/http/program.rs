//! The program as a process.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use projection_core::append::{AppendEvents as _, ExpectedVersion, NewEvent};
use projection_sqlite::SqliteStore;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// How long something may take that a busy machine does slowly.
const LIMIT: Duration = Duration::from_secs(120);

/// Where a test's events and views are.
pub(crate) struct Home {
    folder: TempDir,
    args: Vec<String>,
}

impl Home {
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("orders.db").display().to_string();
        Self { folder, args: vec!["--sqlite".to_owned(), file] }
    }

    pub(crate) fn mongodb(uri: &str, database: &str) -> Self {
        let args = ["--mongo", uri, "--database", database].map(ToOwned::to_owned);
        Self { folder: tempfile::tempdir().unwrap(), args: args.to_vec() }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("orders.db")
    }

    pub(crate) fn start(&self) -> Program {
        self.start_with(&[])
    }

    pub(crate) fn start_with(&self, args: &[&str]) -> Program {
        let log = self.folder.path().join("stderr.log");
        let stderr = File::options().create(true).append(true).open(&log).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_orders"));
        command.args(&self.args).args(["--listen", "127.0.0.1:0"]).args(args);
        let mut child = command.stdout(Stdio::piped()).stderr(stderr).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let url = first.trim().strip_prefix("listening on ");
        let url = url.unwrap_or_else(|| panic!("{first:?}\n{}", std::fs::read_to_string(&log).unwrap()));
        Program { url: url.to_owned(), child }
    }

    /// Appends behind the program's back: `events` for each of `streams`, named from 1.
    pub(crate) fn append(&self, streams: usize, events: impl Fn(usize) -> Vec<NewEvent>) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = SqliteStore::open(self.file()).await.unwrap().events();
            let appends = (1..=streams).map(|stream| {
                let id = uuid::Uuid::new_v4().to_string();
                projection_core::append::StreamAppend::new(id, ExpectedVersion::NoStream, events(stream))
            });
            store.append_all(appends.collect()).await.unwrap().token().to_string()
        })
    }
}

pub(crate) struct Program {
    pub(crate) url: String,
    child: Child,
}

impl Program {
    /// SIGKILL: nothing is ended in good order.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn ended(mut self) -> ExitStatus {
        eventually("the program ends", || self.child.try_wait().unwrap())
    }
}

/// Ends it in good order, where the test has passed: a process that is killed may leave a transaction open in MongoDB, for
/// which the end of the test's database would wait a minute.
impl Drop for Program {
    fn drop(&mut self) {
        if !thread::panicking() && self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.signal(Signal::TERM);
            eventually("the program ends", || self.child.try_wait().unwrap());
        }
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Asks until there is an answer.
pub(crate) fn eventually<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begun.elapsed() < LIMIT, "not within {LIMIT:?}: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

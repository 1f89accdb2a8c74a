//! A `mongod` that one test has for itself, and may freeze, kill and start again.

mod following;
mod replica_set;
mod users;

use std::{
    fs::{self, File},
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard},
    time::{Duration, Instant},
};

use bson::{Document, doc};
use mongodb::{Client, options::ClientOptions};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::{TestDatabase, record};

pub use replica_set::OwnReplicaSet;
pub use users::OwnUsers;

/// How long a server may take until it answers.
const LIMIT: Duration = Duration::from_secs(60);
/// A frozen server is noticed after two and a half seconds, and one that is away after two.
const IMPATIENT: &str = "connectTimeoutMS=2000&serverSelectionTimeoutMS=2000";
/// A port that is free when we look can be taken when `mongod` does.
const PORTS_TO_TRY: u32 = 3;

/// A server of a test's own. It is killed, and its data removed, when it is dropped.
#[derive(Debug)]
pub struct OwnServer {
    folder: TempDir,
    port: u16,
    arguments: Vec<String>,
    child: Mutex<Option<Child>>,
}

impl OwnServer {
    /// Starts a standalone server.
    pub async fn standalone() -> Self {
        Self::start(&[]).await
    }

    /// Starts a server with these arguments besides those that any test needs; it answers when this returns.
    pub async fn start(arguments: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), arguments).await
    }

    /// The same, with its data in `folder`.
    pub async fn start_in(folder: TempDir, arguments: &[&str]) -> Self {
        let mut server = Self {
            folder,
            port: 0,
            arguments: arguments.iter().map(ToString::to_string).collect(),
            child: Mutex::new(None),
        };
        fs::create_dir(server.folder.path().join("db")).unwrap();
        for _ in 0..PORTS_TO_TRY {
            server.port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            if server.start_again().await {
                return server;
            }
        }
        panic!("mongod does not start:\n{}", server.log());
    }

    /// Starts it again after [`kill`](Self::kill), on the same data. `false` if its port is taken.
    pub async fn start_again(&self) -> bool {
        let log = File::options().create(true).append(true).open(self.log_file()).unwrap();
        // In our process group: what ends the test from outside ends the server.
        let child = Command::new(record::program())
            .arg("--dbpath")
            .arg(self.folder.path().join("db"))
            .args(["--port", &self.port.to_string(), "--bind_ip", "127.0.0.1", "--nounixsocket"])
            .args(["--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "64"])
            .args(["--setParameter", "enableTestCommands=1"])
            .args(["--setParameter", "diagnosticDataCollectionEnabled=false"])
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        *self.child() = Some(child);
        let since = Instant::now();
        while self.hello().await.is_none() {
            if let Some(status) = self.child().as_mut().unwrap().try_wait().unwrap() {
                let log = self.log();
                assert!(log.contains("Address already in use"), "mongod ended with {status}:\n{log}");
                return false;
            }
            assert!(since.elapsed() < LIMIT, "mongod does not answer:\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        true
    }

    /// `127.0.0.1:port`.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Where to connect to it, and to no other member.
    #[must_use]
    pub fn uri(&self) -> String {
        format!("mongodb://{}/?directConnection=true", self.address())
    }

    /// A database on it.
    pub async fn database(&self) -> TestDatabase {
        TestDatabase::at(&self.uri()).await
    }

    /// A database on it, by a client that soon notices when the server is frozen or away; also when it only is slow.
    pub async fn impatient_database(&self) -> TestDatabase {
        TestDatabase::at(&format!("{}&{IMPATIENT}", self.uri())).await
    }

    /// A client that only asks.
    pub async fn admin(&self) -> mongodb::Database {
        admin(&self.uri()).await
    }

    /// What the server says of itself, if it answers.
    pub async fn hello(&self) -> Option<Document> {
        let hello = async { self.admin().await.run_command(doc! { "hello": 1 }).await };
        tokio::time::timeout(Duration::from_secs(3), hello).await.ok()?.ok()
    }

    /// Waits until it takes writes.
    pub async fn takes_writes(&self) {
        let since = Instant::now();
        while !self.hello().await.is_some_and(|hello| hello.get_bool("isWritablePrimary").unwrap_or(false)) {
            assert!(since.elapsed() < LIMIT, "mongod takes no writes:\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Ends it in an instant, as a power cut would.
    pub fn kill(&self) {
        let mut child = self.child().take().expect("it runs");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// It stays connected, and does nothing.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// It goes on.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Where its data is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn signal(&self, signal: Signal) {
        let id = self.child().as_ref().expect("it runs").id();
        kill_process(Pid::from_raw(id.cast_signed()).unwrap(), signal).unwrap();
    }

    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn log_file(&self) -> std::path::PathBuf {
        self.folder.path().join("mongod.log")
    }

    /// The end of its log.
    #[must_use]
    pub fn log(&self) -> String {
        let log = fs::read(self.log_file()).unwrap_or_default();
        String::from_utf8_lossy(&log[log.len().saturating_sub(4000)..]).into_owned()
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        if let Some(mut child) = self.child().take() {
            _ = child.kill();
            _ = child.wait();
        }
    }
}

/// The database for commands of administrators, by a client that soon gives up.
async fn admin(uri: &str) -> mongodb::Database {
    let mut options = ClientOptions::parse(uri).await.unwrap();
    options.server_selection_timeout = Some(Duration::from_secs(2));
    options.heartbeat_freq = Some(Duration::from_millis(500));
    Client::with_options(options).unwrap().database("admin")
}

//! A `mongod` of the driver's own, which it kills and starts again on the same data.

use std::{
    fs::{self, File},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use mongodb::{Client, bson::doc, error::ErrorKind, options::ClientOptions};

/// How long it may take until it takes writes.
const START_LIMIT: Duration = Duration::from_secs(90);
const PAUSE: Duration = Duration::from_millis(50);
const ALREADY_INITIALIZED: i32 = 23;

/// A server, killed when dropped.
#[derive(Debug)]
pub(super) struct Mongod {
    binary: PathBuf,
    folder: PathBuf,
    port: u16,
    replica_set: bool,
    child: Child,
}

impl Mongod {
    /// Starts it with its data in `folder`, alone or as a replica set of one, and waits until it takes writes.
    pub(super) async fn start(binary: &Path, folder: &Path, replica_set: bool) -> Result<Self> {
        fs::create_dir_all(folder.join("db"))?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let child = spawn(binary, folder, port, replica_set)?;
        let server = Self { binary: binary.to_owned(), folder: folder.to_owned(), port, replica_set, child };
        if replica_set {
            server.initiate().await?;
        }
        server.wait().await?;
        Ok(server)
    }

    pub(super) fn uri(&self) -> String {
        let set = if self.replica_set { "replicaSet=rs0&" } else { "" };
        format!("mongodb://127.0.0.1:{}/?{set}directConnection=true", self.port)
    }

    pub(super) async fn client(&self) -> Result<Client> {
        let mut options = ClientOptions::parse(self.uri()).await?;
        options.server_selection_timeout = Some(START_LIMIT);
        Ok(Client::with_options(options)?)
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// SIGKILL.
    pub(super) fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Starts it again on its data, and waits until it takes writes.
    pub(super) async fn start_again(&mut self) -> Result<()> {
        self.child = spawn(&self.binary, &self.folder, self.port, self.replica_set)?;
        self.wait().await
    }

    async fn initiate(&self) -> Result<()> {
        let uri = format!("mongodb://127.0.0.1:{}/?directConnection=true", self.port);
        let client = Client::with_uri_str(uri).await?;
        let members = [doc! { "_id": 0, "host": format!("127.0.0.1:{}", self.port) }];
        let command = doc! { "replSetInitiate": { "_id": "rs0", "members": members.to_vec() } };
        match client.database("admin").run_command(command).await.map_err(|error| *error.kind) {
            Ok(_) => Ok(()),
            Err(ErrorKind::Command(error)) if error.code == ALREADY_INITIALIZED => Ok(()),
            Err(error) => bail!("the replica set cannot be initiated: {error}"),
        }
    }

    async fn wait(&self) -> Result<()> {
        let until = Instant::now() + START_LIMIT;
        let client = self.client().await?;
        while Instant::now() < until {
            let hello = client.database("admin").run_command(doc! { "hello": 1 }).await;
            if hello.is_ok_and(|hello| hello.get_bool("isWritablePrimary").unwrap_or(false)) {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        let log = fs::read_to_string(self.folder.join("mongod.log")).unwrap_or_default();
        bail!("mongod does not come up; its log ends with {}", log.lines().last().unwrap_or_default())
    }
}

impl Drop for Mongod {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.kill();
    }
}

fn spawn(binary: &Path, folder: &Path, port: u16, replica_set: bool) -> Result<Child> {
    let log = File::options().create(true).append(true).open(folder.join("mongod.log"))?;
    let mut command = Command::new(binary);
    command.arg("--dbpath").arg(folder.join("db")).args(["--port", &port.to_string()]);
    command.args(["--bind_ip", "127.0.0.1", "--nounixsocket", "--wiredTigerCacheSizeGB", "1"]);
    if replica_set {
        command.args(["--replSet", "rs0", "--oplogSize", "256"]);
    }
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    command.spawn().with_context(|| format!("cannot run {}", binary.display()))
}

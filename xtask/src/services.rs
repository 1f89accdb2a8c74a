//! The servers that tests need: brought up, taken down, asked after.

mod binary;
mod lock;
mod mongod;
mod process;
mod record;
mod replica_set;
mod source;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};

pub(crate) use self::lock::InUse;
use self::lock::Lock;
use self::mongod::Starting;
use self::record::Record;

/// The environment variable that names a server to use instead of one of ours.
pub(crate) const MONGODB_URI: &str = "MONGODB_URI";

/// The environment variable that tells the tests which `mongod` to start where they need servers of their own.
pub(crate) const PROJECTION_MONGOD: &str = "PROJECTION_MONGOD";

/// How long a server that runs already may take to answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// The same for somebody who only asks.
const STATUS_LIMIT: Duration = Duration::from_secs(3);

/// What [`up`] found or did.
pub(crate) struct Up {
    /// Where the server is.
    pub(crate) uri: String,
    /// The program for servers that tests start by themselves; none where one is named and there is no program.
    pub(crate) mongod: Option<PathBuf>,
    /// Whether this call started it.
    pub(crate) started: bool,
}

/// Makes sure that a MongoDB that takes writes is there.
pub(crate) async fn up() -> Result<Up> {
    if let Some(uri) = source::given() {
        eprintln!("{MONGODB_URI} is set: using that server, starting none");
        replica_set::wait_for_primary(&uri, ANSWER_LIMIT).await.with_context(|| {
            format!("the server that {MONGODB_URI} names is of no use; unset {MONGODB_URI} to have one started")
        })?;
        return Ok(Up { uri, mongod: program().await, started: false });
    }
    let _lock = Lock::take().await?;
    record::end_unfinished().await?;
    if let Some(record) = Record::load()? {
        if process::runs(&record) {
            eprintln!("already runs: mongod, process {}", record.pid);
            replica_set::wait_for_primary(&record.mongodb_uri, ANSWER_LIMIT).await.with_context(|| {
                format!("mongod (process {}) is of no use; end it with `cargo xtask services down`", record.pid)
            })?;
            let mongod = match record.mongod {
                Some(mongod) => Some(mongod),
                None => program().await,
            };
            return Ok(Up { uri: record.mongodb_uri, mongod, started: false });
        }
        eprintln!("the mongod that was started on {} (process {}) is gone", record.started_at, record.pid);
        record.discard()?;
    }
    let record = start().await?;
    eprintln!("mongod runs: process {}, folder {}", record.pid, record.folder.display());
    Ok(Up { uri: record.mongodb_uri, mongod: record.mongod, started: true })
}

/// A `mongod` for those who need one beside a server that runs already.
async fn program() -> Option<PathBuf> {
    let located = binary::locate().await;
    located.map_err(|why| eprintln!("tests that start servers of their own will fail: {why:#}")).ok()
}

/// The program `mongod`, for one who starts it himself.
pub(crate) async fn mongod() -> Result<PathBuf> {
    binary::locate().await
}

async fn start() -> Result<Record> {
    let binary = binary::locate().await?;
    for _ in 0..mongod::PORTS_TO_TRY {
        let mut starting = Starting::spawn(&binary)?;
        if starting.is_ready().await? {
            return starting.finish();
        }
    }
    bail!("mongod found its port taken {} times", mongod::PORTS_TO_TRY)
}

/// Ends what [`up`] started, and nothing else.
pub(crate) async fn down() -> Result<()> {
    let _lock = Lock::take().await?;
    record::end_unfinished().await?;
    let Some(record) = Record::load()? else {
        eprintln!("nothing runs that was started here");
        return Ok(());
    };
    if process::runs(&record) {
        process::end(&record).await?;
        eprintln!("mongod (process {}) has ended", record.pid);
    } else {
        eprintln!("mongod (process {}) had ended already", record.pid);
    }
    record.discard()
}

/// Says what runs, with its URI on standard output. `false` if nothing does that can be used.
pub(crate) async fn status() -> Result<bool> {
    let (what, uri) = if let Some(uri) = source::given() {
        (format!("the server that {MONGODB_URI} names"), uri)
    } else {
        match Record::load()? {
            Some(record) if process::runs(&record) => {
                (format!("mongod, process {}, started {}", record.pid, record.started_at), record.mongodb_uri)
            }
            _ => {
                eprintln!("no mongod runs: `cargo xtask services up` starts one");
                return Ok(false);
            }
        }
    };
    let answer = replica_set::wait_for_primary(&uri, STATUS_LIMIT).await;
    match &answer {
        Ok(()) => eprintln!("{what}: takes writes"),
        Err(why) => eprintln!("{what}: of no use: {why:#}"),
    }
    println!("{uri}");
    Ok(answer.is_ok())
}

//! A replica set of one, spoken to over the wire: told to be one, and waited for.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use mongodb::Client;
use mongodb::bson::doc;
use mongodb::error::ErrorKind;
use mongodb::options::ClientOptions;

/// The name of the replica set.
pub(super) const NAME: &str = "rs0";

/// The server's code for a replica set that has been initiated before.
const ALREADY_INITIALIZED: i32 = 23;

/// How much longer than it should a server may take until it counts as hanging.
const HANG_LIMIT: Duration = Duration::from_secs(2);

/// Makes the server on this port a replica set of itself.
pub(super) async fn initiate(port: u16, limit: Duration) -> Result<()> {
    // Without the replica set's name: until it is initiated, the server has none.
    let client = client(&format!("mongodb://127.0.0.1:{port}/?directConnection=true"), limit).await?;
    let members = [doc! { "_id": 0, "host": format!("127.0.0.1:{port}") }];
    let command = doc! { "replSetInitiate": { "_id": NAME, "members": members.to_vec() } };
    match client.database("admin").run_command(command).await.map_err(|e| *e.kind) {
        Ok(_) => Ok(()),
        Err(ErrorKind::Command(e)) if e.code == ALREADY_INITIALIZED => Ok(()),
        Err(e) => bail!("the replica set cannot be initiated: {e}"),
    }
}

/// Waits until the server at this URI answers and takes writes.
pub(super) async fn wait_for_primary(uri: &str, limit: Duration) -> Result<()> {
    let client = client(uri, limit).await?;
    let until = Instant::now() + limit;
    let asked = async {
        while Instant::now() < until {
            let hello = client.database("admin").run_command(doc! { "hello": 1 }).await;
            let hello = hello.map_err(|e| anyhow!("the server does not answer: {}", e.kind))?;
            if hello.get_bool("isWritablePrimary").unwrap_or(false) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("the server answers, but takes no writes after {} s", limit.as_secs())
    };
    // The driver waits as long as `limit` for a server to connect to; one that was connected may still hang.
    match tokio::time::timeout(limit + HANG_LIMIT, asked).await {
        Ok(result) => result,
        Err(_) => bail!("the server hangs"),
    }
}

async fn client(uri: &str, limit: Duration) -> Result<Client> {
    let mut options = ClientOptions::parse(uri).await.map_err(|e| anyhow!("its URI is wrong: {}", e.kind))?;
    options.server_selection_timeout = Some(limit);
    Ok(Client::with_options(options)?)
}

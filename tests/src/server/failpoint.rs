//! Commands that fail on purpose.

use bson::{Document, doc};
use mongodb::Database;
use tokio::sync::{Mutex, MutexGuard};

/// A server has one setting for commands that fail.
static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// Commands of one client fail, until it is dropped.
#[derive(Debug)]
pub struct FailPoint {
    database: Database,
    _one: MutexGuard<'static, ()>,
}

impl FailPoint {
    pub(super) async fn set(
        database: Database,
        app: &str,
        commands: &[&str],
        mode: Document,
        how: Document,
    ) -> Self {
        let one = ONE_AT_A_TIME.lock().await;
        let mut data = doc! { "failCommands": commands, "appName": app };
        data.extend(how);
        let command = doc! { "configureFailPoint": "failCommand", "mode": mode, "data": data };
        let admin = database.client().database("admin");
        admin
            .run_command(command)
            .await
            .expect("the server takes fail points: `--setParameter enableTestCommands=1`");
        Self { database, _one: one }
    }

    /// Lets commands succeed again.
    pub async fn off(self) {
        let command = doc! { "configureFailPoint": "failCommand", "mode": "off" };
        self.database.client().database("admin").run_command(command).await.expect("the fail point is taken away");
    }
}

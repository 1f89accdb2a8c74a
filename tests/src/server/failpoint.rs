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
    /// How often the server had met it before.
    met: i32,
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
        let set = admin.run_command(command).await;
        let set = set.expect("the server takes fail points: `--setParameter enableTestCommands=1`");
        let met = set.get_i32("count").expect("the server counts how often it is met");
        Self { database, met, _one: one }
    }

    /// Waits until a command has met it; one that is blocked is on its way then.
    ///
    /// # Panics
    ///
    /// When none has after a minute.
    pub async fn was_met(&self) {
        let times = i64::from(self.met) + 1;
        let command = doc! { "waitForFailPoint": "failCommand", "timesEntered": times, "maxTimeMS": 60_000 };
        self.database.client().database("admin").run_command(command).await.expect("a command meets it");
    }

    /// Lets commands succeed again.
    pub async fn off(self) {
        let command = doc! { "configureFailPoint": "failCommand", "mode": "off" };
        self.database.client().database("admin").run_command(command).await.expect("the fail point is taken away");
    }
}

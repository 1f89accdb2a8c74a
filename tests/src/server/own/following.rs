//! A member of a replica set that stops following the others, as if it were slow without end.

use bson::{Document, doc};

use super::OwnServer;

/// With it, a member takes nothing from others, and yet answers them and votes.
const FAIL_POINT: &str = "stopReplProducer";

impl OwnServer {
    /// It takes nothing from the primary any more when this returns, so that nothing that is written from now on is
    /// confirmed by it.
    pub async fn stop_following(&self) {
        let met =
            self.set_following("alwaysOn").await.get_i32("count").expect("the server counts how often it is met");
        let times = i64::from(met) + 1;
        let wait = doc! { "waitForFailPoint": FAIL_POINT, "timesEntered": times, "maxTimeMS": 30_000 };
        self.admin().await.run_command(wait).await.expect("the member stops");
    }

    /// It follows whoever is the primary.
    pub async fn follow_again(&self) {
        self.set_following("off").await;
    }

    async fn set_following(&self, mode: &str) -> Document {
        let set = self.admin().await.run_command(doc! { "configureFailPoint": FAIL_POINT, "mode": mode }).await;
        set.expect("the server takes fail points: `--setParameter enableTestCommands=1`")
    }
}

//! The kinds of server that a suite runs on.

use std::sync::{Arc, Weak};

use tokio::sync::Mutex;

use super::{OwnServer, TestDatabase, run_in, with_database};

/// What kind of server a test runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The server that `cargo xtask` brings: with transactions.
    ReplicaSet,
    /// Without.
    Standalone,
}

/// Runs a test in a database of its own on a server of this kind; see [`with_database`].
///
/// # Panics
///
/// When there is no server, and when the test does.
pub async fn with_database_on<F: Future<Output = ()> + Send + 'static>(
    kind: Kind,
    test: impl FnOnce(TestDatabase) -> F,
) {
    match kind {
        Kind::ReplicaSet => with_database(test).await,
        Kind::Standalone => {
            let server = standalone().await;
            run_in(server.database().await, test).await;
        }
    }
}

/// The standalone server that the tests of one process share; it ends with the last of them that uses it.
async fn standalone() -> Arc<OwnServer> {
    static SHARED: Mutex<Weak<OwnServer>> = Mutex::const_new(Weak::new());
    let mut shared = SHARED.lock().await;
    if let Some(running) = shared.upgrade() {
        return running;
    }
    let started = Arc::new(OwnServer::standalone().await);
    *shared = Arc::downgrade(&started);
    started
}

/// Each test on each kind of server, by the name `on_a_replica_set::…` and `on_a_standalone_server::…`.
#[macro_export]
macro_rules! on_each_kind_of_server {
    ($($test:ident),* $(,)?) => {
        mod on_a_replica_set {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test($crate::server::Kind::ReplicaSet).await;
                }
            )*
        }

        mod on_a_standalone_server {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test($crate::server::Kind::Standalone).await;
                }
            )*
        }
    };
}

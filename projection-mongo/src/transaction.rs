//! Ends a transaction, and finds out how it ended.

use std::time::Duration;

use mongodb::{ClientSession, error::Error};

/// How often the server is asked to commit while its answer is not known.
const TRIES: u32 = 4;
/// Before it is asked again; twice as long before each other time.
const PAUSE: Duration = Duration::from_millis(25);

/// A transaction that is not known to be committed.
pub(crate) enum NotCommitted {
    /// Nothing of it is stored.
    Undone(Error),
    /// It may or may not be stored.
    Unknown(Error),
}

/// Commits; where the answer gets lost, again, which is harmless.
pub(crate) async fn commit(session: &mut ClientSession) -> Result<(), NotCommitted> {
    let mut tries = 1;
    loop {
        let Err(error) = session.commit_transaction().await else { return Ok(()) };
        if error.contains_label("UnknownTransactionCommitResult") && tries < TRIES {
            tokio::time::sleep(PAUSE * 2_u32.pow(tries)).await;
            tries += 1;
        } else if error.contains_label("TransientTransactionError") && tries == 1 {
            return Err(NotCommitted::Undone(error));
        } else {
            return Err(NotCommitted::Unknown(error));
        }
    }
}

/// Aborts. Where that fails, the next transaction of the session does it, or the next owner, or time.
pub(crate) async fn abort(session: &mut ClientSession) {
    if let Err(error) = session.abort_transaction().await {
        tracing::debug!(%error, "a transaction was not aborted");
    }
}

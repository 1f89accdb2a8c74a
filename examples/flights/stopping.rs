//! Ctrl-C: the first one ends what is under way in good order, the second one ends the process.

use std::process;

use tokio_util::sync::CancellationToken;

/// What a shell takes for the end by Ctrl-C.
pub(crate) const EXIT_CODE: u8 = 130;

/// It was ended by Ctrl-C.
#[derive(Debug, thiserror::Error)]
#[error("stopped; run again, and it goes on from here")]
pub(crate) struct Stopped;

/// Cancelled by the first Ctrl-C.
pub(crate) fn on_ctrl_c() -> CancellationToken {
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        // Where signals cannot be listened to, they end the process as they always did.
        if tokio::signal::ctrl_c().await.is_ok() {
            eprintln!("stopping; Ctrl-C again ends it at once");
            stopping.cancel();
            if tokio::signal::ctrl_c().await.is_ok() {
                process::exit(EXIT_CODE.into());
            }
        }
    });
    stop
}

//! When to stop: Ctrl-C, or SIGTERM, which is what a supervisor sends.

use std::io;

/// Resolves when the process is to stop. What is sent from now on is heard.
#[cfg(unix)]
pub(crate) fn asked() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Resolves when the process is to stop.
#[cfg(not(unix))]
pub(crate) fn asked() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

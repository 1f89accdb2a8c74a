//! Two locks between runs of `cargo xtask`: one changes the services at a time, and nobody puts away what another uses.

use std::fs::{File, TryLockError};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

use crate::paths;

/// Held while services are started or ended.
pub(crate) struct Lock(#[expect(dead_code, reason = "the lock lasts as long as the file is open")] File);

impl Lock {
    /// Waits until no other run starts or ends services.
    pub(super) async fn take() -> Result<Self> {
        Ok(Self(wait(open("services.lock")?, File::try_lock).await?))
    }
}

/// Held while tests use the services; any number of runs hold it at once.
pub(crate) struct InUse(File);

impl InUse {
    /// Says that this run uses the services, however they came up.
    pub(crate) async fn announce() -> Result<Self> {
        Ok(Self(wait(open("services.in-use")?, File::try_lock_shared).await?))
    }

    /// Ends the use. If nobody else uses the services, nobody begins to until what is returned is dropped.
    pub(crate) fn end(self) -> Result<Option<Self>> {
        drop(self.0);
        let file = open("services.in-use")?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(anyhow!("cannot lock services.in-use: {e}")),
        }
    }
}

fn open(name: &str) -> Result<File> {
    let path = paths::state_dir()?.join(name);
    let open = File::options().create(true).truncate(false).write(true).open(&path);
    open.with_context(|| format!("cannot open {}", path.display()))
}

/// Asks again and again instead of blocking, so that a signal is heard meanwhile.
async fn wait(file: File, take: fn(&File) -> Result<(), TryLockError>) -> Result<File> {
    let mut told = false;
    loop {
        match take(&file) {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if told => {}
            Err(TryLockError::WouldBlock) => {
                eprintln!("another cargo xtask is starting or ending services: waiting for it");
                told = true;
            }
            Err(TryLockError::Error(e)) => return Err(anyhow!("cannot lock the services: {e}")),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

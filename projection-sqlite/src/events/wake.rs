//! Tells the readers of this process when it has appended.

use std::sync::Arc;

use async_trait::async_trait;
use projection_core::{StoreError, store::WakeUp};
use tokio::sync::watch;

/// The appends of a store and its clones.
#[derive(Debug, Clone, Default)]
pub(crate) struct Appends(Arc<watch::Sender<()>>);

impl Appends {
    pub(super) fn happened(&self) {
        self.0.send_replace(());
    }

    pub(super) fn listen(&self) -> Listening {
        Listening(self.0.subscribe())
    }
}

pub(crate) struct Listening(watch::Receiver<()>);

#[async_trait]
impl WakeUp for Listening {
    async fn woken(&mut self) -> Result<(), StoreError> {
        self.0.changed().await.map_err(StoreError::permanent)
    }

    fn sees_all(&self) -> bool {
        false
    }
}

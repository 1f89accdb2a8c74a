//! Leases whose calls are steps.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use projection_core::{
    StoreError,
    store::{Fence, LeaseAnswer, LeaseRequest, LeaseStorage, Ownership},
};

use super::steps::{Steps, name_of};
use crate::journal::What;

pub(super) struct SteppedLeases {
    inner: Arc<dyn LeaseStorage>,
    steps: Arc<Steps>,
    /// The epochs that were held.
    held: Mutex<HashMap<String, i64>>,
}

impl SteppedLeases {
    pub(super) fn new(inner: Arc<dyn LeaseStorage>, steps: Arc<Steps>) -> Self {
        Self { inner, steps, held: Mutex::default() }
    }
}

#[async_trait]
impl LeaseStorage for SteppedLeases {
    async fn acquire(&self, request: &LeaseRequest) -> Result<LeaseAnswer, StoreError> {
        let projection = name_of(&request.projection);
        let answer = self.steps.around("acquire", projection, self.inner.acquire(request)).await;
        if let Ok(LeaseAnswer::Held(fence)) = &answer {
            let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            if held.insert(projection.to_owned(), fence.epoch) != Some(fence.epoch) {
                self.steps.note(What::Owner { projection: projection.to_owned(), epoch: fence.epoch });
            }
        }
        answer
    }

    async fn release(&self, projection: &str, fence: &Fence) -> Result<(), StoreError> {
        self.steps.around("release", name_of(projection), self.inner.release(projection, fence)).await
    }

    async fn owners(&self) -> Result<Vec<Ownership>, StoreError> {
        self.inner.owners().await
    }
}

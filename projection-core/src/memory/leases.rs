//! Leases in memory: for tests of several runtimes in one process.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use time::OffsetDateTime;

use super::repository::Database;
use crate::{
    StoreError,
    store::{Fence, LeaseAnswer, LeaseRequest, LeaseStorage, Ownership},
};

/// The last owner of each projection and version; an epoch is never given out twice.
#[derive(Debug, Default)]
pub(super) struct LeaseTable {
    owners: BTreeMap<(String, u32), Ownership>,
}

impl LeaseTable {
    /// Whether `fence` is the newest of its projection; one that nobody leased is nobody's.
    pub(super) fn admits(&self, projection: &str, fence: &Fence) -> bool {
        let owner = self.owners.get(&(projection.to_owned(), fence.version));
        owner.is_none_or(|owner| owner.epoch == fence.epoch && owner.owner == fence.owner)
    }

    fn acquire(&mut self, request: &LeaseRequest, now: OffsetDateTime) -> LeaseAnswer {
        let key = (request.projection.clone(), request.version);
        let last = self.owners.get(&key);
        if let Some(other) = last.filter(|last| last.expires > now && last.owner != request.owner) {
            return LeaseAnswer::Taken(other.clone());
        }
        let renewed = last.filter(|last| last.expires > now);
        let (epoch, since) = match renewed {
            Some(mine) => (mine.epoch, mine.since),
            None => (last.map_or(1, |last| last.epoch + 1), now),
        };
        let owner = Ownership {
            projection: request.projection.clone(),
            version: request.version,
            owner: request.owner.clone(),
            epoch,
            since,
            expires: now + request.ttl,
        };
        self.owners.insert(key, owner);
        LeaseAnswer::Held(Fence { owner: request.owner.clone(), epoch, version: request.version })
    }
}

/// Keeps leases in memory, by the system's clock.
#[derive(Debug, Clone)]
pub(super) struct InMemoryLeases {
    database: Arc<Mutex<Database>>,
}

impl InMemoryLeases {
    pub(super) fn of(database: Arc<Mutex<Database>>) -> Self {
        Self { database }
    }

    fn lock(&self) -> MutexGuard<'_, Database> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl LeaseStorage for InMemoryLeases {
    async fn acquire(&self, request: &LeaseRequest) -> Result<LeaseAnswer, StoreError> {
        Ok(self.lock().leases.acquire(request, OffsetDateTime::now_utc()))
    }

    async fn release(&self, projection: &str, fence: &Fence) -> Result<(), StoreError> {
        let mut database = self.lock();
        let owner = database.leases.owners.get_mut(&(projection.to_owned(), fence.version));
        if let Some(owner) = owner.filter(|owner| owner.epoch == fence.epoch && owner.owner == fence.owner) {
            owner.expires = OffsetDateTime::now_utc();
        }
        Ok(())
    }

    async fn owners(&self) -> Result<Vec<Ownership>, StoreError> {
        let now = OffsetDateTime::now_utc();
        Ok(self.lock().leases.owners.values().filter(|owner| owner.expires > now).cloned().collect())
    }
}

//! Leases: which process owns a projection, judged by the database's clock.

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::Fence;
use crate::StoreError;

/// Who asks for a lease, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseRequest {
    /// The projection's name.
    pub projection: String,
    /// The projection's version: each has a lease of its own.
    pub version: u32,
    /// The process that asks; another string for each process and each start of it.
    pub owner: String,
    /// How long the lease lasts without renewal, by the database's clock.
    pub ttl: Duration,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseAnswer {
    /// The lease is the asker's, for another `ttl`. The fence goes into every commit and checkpoint.
    Held(Fence),
    /// Another process has it.
    Taken(Ownership),
}

/// Who owns a projection, since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ownership {
    /// The projection's name.
    pub projection: String,
    /// The projection's version.
    pub version: u32,
    /// The process.
    pub owner: String,
    /// Raised at each change of owner.
    pub epoch: i64,
    /// When the owner took it, by the database's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
    /// When it ends without renewal, by the database's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub expires: OffsetDateTime,
}

/// Keeps leases. Leases are for progress, epochs for safety: a process that was stopped believes what it likes, and its
/// epoch keeps its late writes out.
#[async_trait]
pub trait LeaseStorage: Send + Sync {
    /// Takes the lease if it is free or has expired, raising the epoch; renews it, keeping the epoch, if it is the
    /// owner's already and has not expired; else says whose it is. Whatever an earlier epoch commits after `Held` was
    /// answered is refused, where the store has transactions. Durable when it returns. One to four round trips.
    ///
    /// # Errors
    ///
    /// When the store cannot be written. The caller must then assume that it does not hold the lease.
    async fn acquire(&self, request: &LeaseRequest) -> Result<LeaseAnswer, StoreError>;

    /// Gives the lease up, so that another need not wait for its end. Harmless if it is another's by now. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be written; the lease then ends by itself.
    async fn release(&self, projection: &str, fence: &Fence) -> Result<(), StoreError>;

    /// Who owns what: every lease that has not expired, ordered by projection and version. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn owners(&self) -> Result<Vec<Ownership>, StoreError>;
}

//! Leases in MongoDB, judged by the server's clock.

mod take;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use async_trait::async_trait;
use bson::{DateTime, Document, doc};
use futures::TryStreamExt as _;
use mongodb::Database;
use projection_core::{
    ErrorKind, StoreError,
    store::{Fence, LeaseAnswer, LeaseRequest, LeaseStorage, Ownership},
};
use serde::Deserialize;
use time::OffsetDateTime;

use crate::{
    bulk::{Reply, Target},
    error::Doing,
    fences::Fences,
    find,
};

/// The collection of leases, where nothing else is said.
pub(crate) const LEASES: &str = "projection.leases";

/// How often a lease is asked for again when a fence was found that is ahead of it.
const ROUNDS: usize = 3;

/// Keeps leases in a MongoDB database: one document for each (projection, version), which outlives its lease, so that
/// epochs only rise. Whether a lease has ended is judged by the server, in the write that takes it. Cheap to clone.
///
/// A renewal is one round trip; a takeover four, since it also raises the fence that transactions write.
#[derive(Debug, Clone)]
pub struct MongoLeases {
    target: Target,
    fences: Fences,
    /// The epochs to which fences were raised here.
    raised: Arc<Mutex<HashMap<String, i64>>>,
    /// Raised with each fence: repositories look again whether there are tombstones.
    takeovers: Arc<AtomicU64>,
    reading: Doing,
    writing: Doing,
}

#[derive(Debug, Deserialize)]
struct LeaseDocument {
    projection: String,
    version: u32,
    owner: String,
    epoch: i64,
    since: DateTime,
    expires: DateTime,
}

impl MongoLeases {
    pub(crate) fn new(database: &Database, leases: &str, fences: Fences, takeovers: Arc<AtomicU64>) -> Self {
        Self {
            target: Target { database: database.clone(), collection: leases.to_owned() },
            fences,
            raised: Arc::default(),
            takeovers,
            reading: Doing::new("reading", leases),
            writing: Doing::new("writing to", leases),
        }
    }

    /// Takes, renews or leaves the lease, in one write. `above`: a new epoch must be above it.
    async fn ask(&self, request: &LeaseRequest, above: i64) -> Result<Ownership, StoreError> {
        let command = doc! {
            "findAndModify": &self.target.collection,
            "query": { "_id": id(&request.projection, request.version) },
            "update": take::pipeline(request, above),
            "upsert": true,
            "new": true,
            "writeConcern": { "w": "majority" },
        };
        let reply = self.target.database.run_command(command).await;
        let reply = reply.map_err(|error| self.writing.failed(error))?;
        if let Some(unconfirmed) = Reply::of(&reply).unconfirmed {
            return Err(unconfirmed.error(&self.writing));
        }
        let found = reply.get_document("value").cloned().unwrap_or_default();
        self.ownership(found)
    }

    fn ownership(&self, found: Document) -> Result<Ownership, StoreError> {
        let found: LeaseDocument = bson::deserialize_from_document(found).map_err(|error| {
            self.reading.wrong(ErrorKind::Permanent, format!("a lease is not ours, remove it: {error}"))
        })?;
        Ok(Ownership {
            projection: found.projection,
            version: found.version,
            owner: found.owner,
            epoch: found.epoch,
            since: time_of(found.since),
            expires: time_of(found.expires),
        })
    }

    /// The fence is at `fence` afterwards, or at one that is ahead of it: that is the answer then.
    async fn raise(&self, projection: &str, fence: &Fence) -> Result<Option<i64>, StoreError> {
        let id = id(projection, fence.version);
        let raised = || self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        if raised().get(&id) == Some(&fence.epoch) {
            return Ok(None);
        }
        let now = self.fences.raise(projection, fence).await?;
        if now == *fence {
            self.takeovers.fetch_add(1, Ordering::SeqCst);
            raised().insert(id, fence.epoch);
            return Ok(None);
        }
        Ok(Some(now.epoch))
    }
}

#[async_trait]
impl LeaseStorage for MongoLeases {
    async fn acquire(&self, request: &LeaseRequest) -> Result<LeaseAnswer, StoreError> {
        let mut above = 0;
        for _ in 0..ROUNDS {
            let owner = self.ask(request, above).await?;
            if owner.owner != request.owner {
                return Ok(LeaseAnswer::Taken(owner));
            }
            let fence = Fence { owner: owner.owner, epoch: owner.epoch, version: request.version };
            // Not held before the fence is raised, also where that failed the last time.
            match self.raise(&request.projection, &fence).await? {
                None => return Ok(LeaseAnswer::Held(fence)),
                // Another has taken it meanwhile; or leases were removed, and fences were not.
                Some(ahead) => above = ahead,
            }
        }
        Err(StoreError::transient("others took the lease at the same time"))
    }

    async fn release(&self, projection: &str, fence: &Fence) -> Result<(), StoreError> {
        let update = doc! {
            "q": { "_id": id(projection, fence.version), "owner": &fence.owner, "epoch": fence.epoch },
            "u": [{ "$set": { "expires": "$$NOW" } }],
        };
        let command = doc! {
            "update": &self.target.collection,
            "updates": [update],
            "writeConcern": { "w": "majority" },
        };
        let reply = self.target.database.run_command(command).await;
        let reply = Reply::of(&reply.map_err(|error| self.writing.failed(error))?);
        match (reply.errors.first(), reply.unconfirmed) {
            (Some(error), _) => Err(error.error(&self.writing)),
            (None, Some(unconfirmed)) => Err(unconfirmed.error(&self.writing)),
            (None, None) => Ok(()),
        }
    }

    async fn owners(&self) -> Result<Vec<Ownership>, StoreError> {
        let leases = find::primary(&self.target.database, &self.target.collection).clone_with_type::<Document>();
        let lasts = doc! { "$expr": { "$gt": ["$expires", "$$NOW"] } };
        let found = leases.find(lasts).sort(doc! { "projection": 1, "version": 1 }).await;
        let found = found.map_err(|error| self.reading.failed(error))?;
        let found: Vec<_> = found.try_collect().await.map_err(|error| self.reading.failed(error))?;
        found.into_iter().map(|found| self.ownership(found)).collect()
    }
}

/// `order-status.v1`: no other has it, since the last part is a number.
fn id(projection: &str, version: u32) -> String {
    format!("{projection}.v{version}")
}

fn time_of(date: DateTime) -> OffsetDateTime {
    let nanoseconds = i128::from(date.timestamp_millis()) * 1_000_000;
    OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

//! Fence documents: the newest epoch of a projection, written by each transaction of its owner.
//!
//! A takeover raises the epoch before it is answered. A transaction that carries an older one finds no document to write, or
//! conflicts with the raise and is undone as a whole. (A fence that is only read would let both commit.) It is another
//! document than the lease, so that a renewal is never in the way of a flush.
//!
//! A process that is killed in the middle of a transaction leaves it open on the server, for a minute, and with it a lock on
//! the fence. So the owner says in its fence which session its transactions are of, and a takeover ends that session's.

use bson::{Bson, Document, doc};
use mongodb::Database;
use projection_core::{ErrorKind, StoreError, store::Fence};

use crate::{
    bulk::{Reply, Target},
    error::{DUPLICATE_KEY, Doing, code_of},
    find,
    writer::Writer,
};

/// The collection of fences, where nothing else is said.
pub(crate) const FENCES: &str = "projection.fences";

/// The lane of all fences, until there are several.
const LANE: i32 = 0;

/// The fences of a database.
#[derive(Debug, Clone)]
pub(crate) struct Fences {
    target: Target,
    reading: Doing,
    writing: Doing,
}

impl Fences {
    pub(crate) fn new(database: Database, collection: &str) -> Self {
        Self {
            target: Target { database, collection: collection.to_owned() },
            reading: Doing::new("reading", collection),
            writing: Doing::new("writing to", collection),
        }
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    pub(crate) fn writing(&self) -> &Doing {
        &self.writing
    }

    /// The newest fence of a projection and version. One round trip.
    pub(crate) async fn newest(&self, projection: &str, version: u32) -> Result<Option<Fence>, StoreError> {
        let found = self.find(projection, version).await?;
        found.map(|found| self.fence(&found, version)).transpose()
    }

    /// Raises the fence to that of a new owner, and ends what is left of a former owner's transaction. The fence that is
    /// there afterwards: a later one, if another was faster. Three round trips, one for the session of a former owner.
    pub(crate) async fn raise(&self, projection: &str, fence: &Fence) -> Result<Fence, StoreError> {
        self.end_former(projection, fence).await?;
        let is_newer = doc! { "$gt": [fence.epoch, { "$ifNull": ["$epoch", 0_i64] }] };
        let newer = |new: Bson, field: &str| doc! { "$cond": [is_newer.clone(), new, format!("${field}")] };
        let command = doc! {
            "findAndModify": &self.target.collection,
            "query": { "_id": id(projection, fence.version) },
            "update": [{ "$set": {
                "projection": { "$literal": projection },
                "version": i64::from(fence.version),
                "lane": LANE,
                "epoch": newer(fence.epoch.into(), "epoch"),
                "owner": newer(doc! { "$literal": &fence.owner }.into(), "owner"),
                "session": newer("$$REMOVE".into(), "session"),
            } }],
            "upsert": true,
            "new": true,
            "writeConcern": { "w": "majority" },
        };
        let reply = self.target.database.run_command(command).await;
        let reply = reply.map_err(|error| self.writing.failed(error))?;
        if let Some(unconfirmed) = Reply::of(&reply).unconfirmed {
            return Err(unconfirmed.error(&self.writing));
        }
        let found = reply.get_document("value").map_err(|_| self.damaged())?;
        self.fence(found, fence.version)
    }

    /// Says which session the transactions of `fence` are of. `false`: there is a newer fence. Where there was none, this
    /// is the first. One round trip.
    pub(crate) async fn register(
        &self,
        projection: &str,
        fence: &Fence,
        session: &Document,
    ) -> Result<bool, StoreError> {
        let first = doc! { "projection": projection, "version": i64::from(fence.version), "lane": LANE };
        let update = doc! {
            "q": { "_id": id(projection, fence.version), "epoch": fence.epoch, "owner": &fence.owner },
            "u": { "$set": { "session": session }, "$setOnInsert": first },
            "upsert": true,
        };
        let command = doc! {
            "update": &self.target.collection,
            "updates": [update],
            "writeConcern": { "w": "majority" },
        };
        let reply = self.target.database.run_command(command).await;
        let reply = Reply::of(&reply.map_err(|error| self.writing.failed(error))?);
        match (reply.errors.first(), reply.unconfirmed) {
            (Some(error), _) if error.code == DUPLICATE_KEY => Ok(false),
            (Some(error), _) => Err(error.error(&self.writing)),
            (None, Some(unconfirmed)) => Err(unconfirmed.error(&self.writing)),
            (None, None) => Ok(true),
        }
    }

    /// The statement by which a transaction writes the fence: it finds nothing where there is a newer one.
    pub(crate) fn statement(projection: &str, fence: &Fence) -> Vec<u8> {
        let mut statement = Writer::with_capacity(256);
        let filter = statement.open_document("q");
        statement.str("_id", &id(projection, fence.version));
        statement.i64("epoch", fence.epoch);
        statement.str("owner", &fence.owner);
        statement.close(filter);
        let update = statement.open_document("u");
        // What changes nothing conflicts with nothing.
        let increment = statement.open_document("$inc");
        statement.i64("commits", 1);
        statement.close(increment);
        statement.close(update);
        statement.finish()
    }

    async fn end_former(&self, projection: &str, fence: &Fence) -> Result<(), StoreError> {
        let Some(found) = self.find(projection, fence.version).await? else { return Ok(()) };
        let former = self.fence(&found, fence.version)?;
        let Ok(session) = found.get_document("session") else { return Ok(()) };
        if former.epoch >= fence.epoch {
            return Ok(());
        }
        let admin = self.target.database.client().database("admin");
        if let Err(error) = admin.run_command(doc! { "killSessions": [session] }).await {
            tracing::warn!(
                code = code_of(&error),
                owner = former.owner,
                "a transaction of the former owner cannot be ended, and is waited for"
            );
        }
        Ok(())
    }

    async fn find(&self, projection: &str, version: u32) -> Result<Option<Document>, StoreError> {
        let fences = find::primary(&self.target.database, &self.target.collection).clone_with_type::<Document>();
        let found = fences.find_one(doc! { "_id": id(projection, version) }).await;
        found.map_err(|error| self.reading.failed(error))
    }

    fn fence(&self, found: &Document, version: u32) -> Result<Fence, StoreError> {
        let (Ok(owner), Ok(epoch)) = (found.get_str("owner"), found.get_i64("epoch")) else {
            return Err(self.damaged());
        };
        Ok(Fence { owner: owner.to_owned(), epoch, version })
    }

    fn damaged(&self) -> StoreError {
        self.reading.wrong(ErrorKind::Permanent, "a fence without an owner and an epoch is not ours: remove it")
    }
}

/// `order-status.v1.l0`: no other has it, since the last two parts are numbers.
fn id(projection: &str, version: u32) -> String {
    format!("{projection}.v{version}.l{LANE}")
}

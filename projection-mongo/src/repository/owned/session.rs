//! The session that an owner's transactions are of: known to its fence, so that a new owner can end what is left of them.

use bson::RawDocumentBuf;
use futures::future;
use mongodb::ClientSession;
use projection_core::{ErrorKind, StoreError, store::Fence};
use tokio::sync::Mutex;

use crate::{
    bulk::{self, Reply, Target, Verb},
    checkpoints::MongoCheckpoints,
    error::Doing,
    fences::Fences,
    repository::MongoRepository,
};

/// What a repository needs to write as an owner.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) projection: &'static str,
    pub(crate) fences: Fences,
    pub(crate) checkpoints: MongoCheckpoints,
    pub(crate) has_transactions: bool,
    /// The session of the last commit; none while there is one in progress, or when one was broken off.
    kept: Mutex<Option<Session>>,
}

/// A session, and whose it is.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) session: ClientSession,
    of: Fence,
}

impl Owner {
    pub(crate) fn new(
        projection: &'static str,
        fences: Fences,
        checkpoints: MongoCheckpoints,
        has_transactions: bool,
    ) -> Self {
        Self { projection, fences, checkpoints, has_transactions, kept: Mutex::default() }
    }

    /// Whether nobody has taken over. Without a transaction that is all that can be asked: it may be so a moment later.
    pub(crate) async fn owns(&self, fence: &Fence) -> Result<bool, StoreError> {
        let newest = self.fences.newest(self.projection, fence.version).await?;
        Ok(newest.is_none_or(|newest| newest == *fence))
    }

    /// The session of this owner; `None`: it is no longer the owner. No I/O, but for a few round trips the first time.
    pub(super) async fn session<S, Id>(
        &self,
        repository: &MongoRepository<S, Id>,
        fence: &Fence,
    ) -> Result<Option<Session>, StoreError> {
        if let Some(kept) = self.kept.lock().await.take().filter(|kept| kept.of == *fence) {
            return Ok(Some(kept));
        }
        let client = self.fences.target().database.client();
        let session = client.start_session().causal_consistency(false).await;
        let session = session.map_err(|error| self.fences.writing().failed(error))?;
        let known = self.fences.register(self.projection, fence, session.id()).await?;
        if !known {
            return Ok(None);
        }
        let missing = [&repository.target, &repository.tombstones.target, self.checkpoints.target()];
        // Inside a transaction making them would wait for others.
        future::try_join_all(missing.map(Target::ensure)).await?;
        Ok(Some(Session { session, of: fence.clone() }))
    }

    /// Keeps the session for the next commit.
    pub(super) async fn keep(&self, session: Session) {
        *self.kept.lock().await = Some(session);
    }
}

impl Session {
    /// Sends statements inside the transaction. No I/O where there are none.
    pub(super) async fn send<'s>(
        &mut self,
        target: &Target,
        doing: &Doing,
        verb: Verb,
        statements: impl ExactSizeIterator<Item = &'s Vec<u8>>,
    ) -> Result<Reply, StoreError> {
        if statements.len() == 0 {
            return Ok(Reply::default());
        }
        let command: RawDocumentBuf = bulk::in_transaction(verb, &target.collection, statements)
            .map_err(|error| doing.failed(error.into()))?;
        let reply = target.database.run_raw_command(command).session(&mut self.session).await;
        let reply = Reply::of(&reply.map_err(|error| doing.failed(error))?);
        match reply.errors.first() {
            Some(error) if error.kind() == ErrorKind::Transient => Err(error.error(doing)),
            _ => Ok(reply),
        }
    }
}

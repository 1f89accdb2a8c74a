//! Inserts events in a transaction, and says which of them was refused, and why.

use mongodb::ClientSession;
use projection_core::{ErrorKind, EventRef, StoreError, append::AppendError};

use super::place::Plan;
use crate::{
    bulk::{self, MAX_BYTES, Reply, Verb, WriteError},
    error::{DUPLICATE_KEY, VALIDATION_FAILURE},
    events::{MongoEvents, positions::Reserved},
};

/// How many events a command inserts at most.
const MAX_EVENTS: usize = 10_000;

/// The codes by which a server refuses a document for what is in it: no value of this kind, no field of this name.
const REFUSED: [i32; 6] = [2, 22, 52, 55, 57, VALIDATION_FAILURE];

/// Why a transaction was not finished.
pub(super) enum Stopped {
    /// For this.
    Failed(AppendError),
    /// Its reservation was taken away.
    Gone,
    /// One of its positions is in use: the counter was behind, after an import or a failover.
    Taken(StoreError),
}

impl Stopped {
    pub(super) fn into_error(self, store: &MongoEvents) -> AppendError {
        match self {
            Self::Failed(error) => error,
            Self::Taken(error) => error.into(),
            Self::Gone => {
                let message = "its reservation was given up before it could commit";
                store.appending.wrong(ErrorKind::Transient, message).into()
            }
        }
    }
}

impl From<AppendError> for Stopped {
    fn from(error: AppendError) -> Self {
        Self::Failed(error)
    }
}

impl From<StoreError> for Stopped {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl MongoEvents {
    pub(super) async fn write(
        &self,
        session: &mut ClientSession,
        plan: &Plan<'_>,
        reserved: &Reserved,
    ) -> Result<(), Stopped> {
        let mut chunk = Chunk::default();
        let mut position = reserved.first;
        let parts = plan.placed().flat_map(|placed| placed.batch.streams.iter().zip(&placed.before));
        for (part, before) in parts {
            for (event, version) in part.events.iter().zip(before + 1..) {
                let document = event.document(self.fields(), &part.stream, version, position);
                let document = document.map_err(|error| self.appending.failed(error.into()))?;
                if chunk.bytes + document.len() > MAX_BYTES || chunk.events.len() == MAX_EVENTS {
                    self.insert(session, std::mem::take(&mut chunk)).await?;
                }
                chunk.bytes += document.len();
                chunk.documents.push(document);
                chunk.events.push(&event.event);
                position += 1;
            }
        }
        self.insert(session, chunk).await
    }

    async fn insert(&self, session: &mut ClientSession, chunk: Chunk<'_>) -> Result<(), Stopped> {
        if chunk.events.is_empty() {
            return Ok(());
        }
        let failed = |error| self.appending.failed(error);
        let command = bulk::in_transaction(Verb::Insert, &self.target.collection, &chunk.documents);
        let command = command.map_err(|error| failed(error.into()))?;
        let reply = self.target.database.run_raw_command(command).session(session).await.map_err(failed)?;
        match Reply::of(&reply).errors.first() {
            None => Ok(()),
            Some(error) => Err(match chunk.events.get(error.index) {
                Some(event) => self.refused(event, error),
                None => error.error(&self.appending).into(),
            }),
        }
    }

    fn refused(&self, event: &EventRef, error: &WriteError) -> Stopped {
        let fields = self.fields();
        let is_of = |field: &String| error.fields.first() == Some(field);
        let transient = || StoreError::new(ErrorKind::Transient, error.error(&self.appending));
        let unstorable = || AppendError::Unstorable { event: event.clone(), cause: error.message.clone() };
        match error.code {
            DUPLICATE_KEY if is_of(&fields.id) => AppendError::Duplicate(event.clone()).into(),
            // Another was faster.
            DUPLICATE_KEY if is_of(&fields.stream) => transient().into(),
            DUPLICATE_KEY if is_of(&fields.position) => Stopped::Taken(transient()),
            DUPLICATE_KEY => unstorable().into(),
            code if REFUSED.contains(&code) || error.kind() == ErrorKind::Poison => unstorable().into(),
            _ => error.error(&self.appending).into(),
        }
    }
}

/// Events that go out in one command.
#[derive(Default)]
struct Chunk<'a> {
    documents: Vec<Vec<u8>>,
    events: Vec<&'a EventRef>,
    bytes: usize,
}

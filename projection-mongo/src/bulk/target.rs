//! Sends chunks to a collection, two at a time.

use futures::{StreamExt as _, stream::FuturesUnordered};
use mongodb::{Database, error::Error as DriverError};
use projection_core::StoreError;

use super::{
    Reply, Statement, Verb,
    chunk::{Chunk, Chunks},
};
use crate::error::{Doing, NAMESPACE_EXISTS, code_of};

/// How many commands are in flight. Two to four gain, eight lose again.
const IN_FLIGHT: usize = 2;

/// A collection to write to.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) database: Database,
    pub(crate) collection: String,
}

/// A command that was sent.
#[derive(Debug)]
pub(crate) struct Sent {
    /// Place and size of each of its statements.
    pub(crate) statements: Vec<(usize, usize)>,
    pub(crate) reply: Result<Reply, DriverError>,
}

impl Target {
    /// Makes the collection where there is none. One round trip.
    pub(crate) async fn ensure(&self) -> Result<(), StoreError> {
        match self.database.create_collection(&self.collection).await {
            Err(error) if code_of(&error) == Some(NAMESPACE_EXISTS) => Ok(()),
            made => made.map_err(|error| Doing::new("making the collection", &self.collection).failed(error)),
        }
    }

    /// Sends all statements, about `expected` of them. Never fails as a whole: what could not be encoded is in the
    /// second answer, each command has a reply or an error of its own.
    pub(crate) async fn send<I>(
        &self,
        verb: Verb,
        expected: usize,
        statements: I,
    ) -> (Vec<Sent>, Vec<(usize, StoreError)>)
    where
        I: Iterator<Item = Result<Statement, (usize, StoreError)>> + Send,
    {
        let mut chunks = Chunks::new(&self.collection, verb, expected, statements);
        let mut in_flight = FuturesUnordered::new();
        let mut sent = Vec::new();
        loop {
            while in_flight.len() < IN_FLIGHT {
                let Some(chunk) = chunks.next() else {
                    break;
                };
                in_flight.push(self.send_one(chunk));
            }
            match in_flight.next().await {
                Some(answered) => sent.push(answered),
                None => break,
            }
        }
        drop(in_flight);
        (sent, chunks.refused())
    }

    async fn send_one(&self, Chunk { command, statements }: Chunk) -> Sent {
        let reply = match command {
            Ok(command) => self.database.run_raw_command(command).await.map(|reply| Reply::of(&reply)),
            Err(error) => Err(error.into()),
        };
        Sent { statements, reply }
    }

    /// The same as [`send`](Self::send) for writes that are fine only as a whole: the first error of any statement.
    pub(crate) async fn send_whole<I>(
        &self,
        doing: &Doing,
        verb: Verb,
        expected: usize,
        statements: I,
    ) -> Result<(), StoreError>
    where
        I: Iterator<Item = Result<Statement, (usize, StoreError)>> + Send,
    {
        let (sent, refused) = self.send(verb, expected, statements).await;
        if let Some((_, error)) = refused.into_iter().next() {
            return Err(error);
        }
        for Sent { reply, .. } in sent {
            let reply = reply.map_err(|error| doing.failed(error))?;
            if let Some(error) = reply.errors.first() {
                return Err(error.error(doing));
            }
            if let Some(unconfirmed) = &reply.unconfirmed {
                return Err(unconfirmed.error(doing));
            }
        }
        Ok(())
    }
}

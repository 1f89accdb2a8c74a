//! Appending in a transaction of the caller, with whatever else it writes.

use mongodb::{ClientSession, error::ErrorKind as Driver};
use projection_core::{
    ErrorKind, StoreError, StreamId,
    append::{AppendError, Appended, ExpectedVersion, NewEvent, StreamAppend},
};

use super::{batch::Batch, one, place::Plan, write::Stopped};
use crate::events::{
    MongoEvents,
    positions::{Positions, Reserved, Within},
};

impl MongoEvents {
    /// Appends to a stream in a transaction of yours, so that your own documents and the events change in one step.
    /// Nothing is stored before you commit, with majority.
    ///
    /// Append late and keep it short: from here to the end of the transaction the mark does not move, so that readers wait
    /// (appends of others do not). When you abort, it moves two seconds later. A transaction that has not committed ten
    /// seconds later ([`with_commit_within`](crate::MongoEventsOptions::with_commit_within)) is ended.
    ///
    /// # Errors
    ///
    /// When the session has no transaction, and as [`append_all`](projection_core::append::AppendEvents::append_all).
    /// What a conflict names may not be on a majority yet, unless your transaction commits. After it the transaction is as it was before; after any other error, abort it, and after a transient one
    /// begin it again.
    pub async fn append_in(
        &self,
        session: &mut ClientSession,
        stream: impl Into<StreamId>,
        expected: ExpectedVersion,
        events: impl IntoIterator<Item = NewEvent>,
    ) -> Result<Appended, AppendError> {
        self.append_all_in(session, vec![StreamAppend::new(stream, expected, events)]).await
    }

    /// The same for several streams, in this order. Seven round trips.
    ///
    /// # Errors
    ///
    /// As of [`append_in`](Self::append_in).
    pub async fn append_all_in(
        &self,
        session: &mut ClientSession,
        appends: Vec<StreamAppend>,
    ) -> Result<Appended, AppendError> {
        let positions = self.positions_to_append()?;
        let batch = Batch::encode(self, appends)?;
        self.check_transaction(session).await?;
        let batches = [batch];
        let plan = self.place(session, &batches).await?;
        if plan.count == 0 {
            return one(plan.results(self, None));
        }
        let mut reserved = positions.reserve(session.id(), Within::Theirs, plan.count).await?;
        match self.append_planned(session, positions, &plan, &mut reserved).await {
            Ok(()) => one(plan.results(self, Some(&reserved))),
            Err(stopped) => {
                positions.release(&reserved).await;
                Err(stopped.into_error(self))
            }
        }
    }

    async fn append_planned(
        &self,
        session: &mut ClientSession,
        positions: &Positions,
        plan: &Plan<'_>,
        reserved: &mut Reserved,
    ) -> Result<(), Stopped> {
        if reserved.first <= plan.above {
            positions.take(reserved, plan.count, plan.above).await?;
        }
        if !positions.redeem(session, reserved).await? {
            return Err(Stopped::Gone);
        }
        self.write(session, plan, reserved).await
    }

    /// Outside of a transaction each statement would stand by itself. Only the driver knows.
    async fn check_transaction(&self, session: &mut ClientSession) -> Result<(), StoreError> {
        match session.start_transaction().await {
            Err(error) if matches!(&*error.kind, Driver::Transaction { message, .. } if message.contains("in progress")) => {
                Ok(())
            }
            Err(error) => Err(self.appending.failed(error)),
            Ok(()) => {
                _ = session.abort_transaction().await;
                let message = "the session has no transaction: begin one with `start_transaction`";
                Err(self.appending.wrong(ErrorKind::Permanent, message))
            }
        }
    }
}

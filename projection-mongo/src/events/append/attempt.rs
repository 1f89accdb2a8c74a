//! One try to append in a transaction of ours, and what became of it.

use std::time::Duration;

use mongodb::{
    ClientSession,
    options::{ReadConcern, WriteConcern},
};
use projection_core::{
    ErrorKind, EventRef, EventStore as _, StoreError,
    append::{AppendError, Appended},
};

use super::{batch::Batch, place::Plan, write::Stopped};
use crate::{
    events::{
        MongoEvents,
        positions::{Positions, Reserved, Within},
    },
    transaction::{NotCommitted, abort, commit},
};

/// How often it is asked what became of a commit, and how long is waited between.
const ASKED: u32 = 5;
const BETWEEN: Duration = Duration::from_millis(300);

/// Appends to be made in one transaction, one after another.
pub(super) struct Attempt<'a> {
    pub(super) store: &'a MongoEvents,
    pub(super) positions: &'a Positions,
    pub(super) batches: &'a [Batch],
}

/// What became of an attempt.
pub(super) enum End {
    /// It is stored; but for appends that did not find what they expect.
    Done(Vec<Result<Appended, AppendError>>),
    /// Nothing was appended, and trying again gives the same.
    Refused(AppendError),
    /// Nothing was appended: another was in the way, or the connection broke.
    Again(StoreError),
    /// It may or may not be stored.
    Unknown(StoreError),
}

impl From<AppendError> for End {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::Store(error) if error.kind() == ErrorKind::Transient => Self::Again(error),
            error => Self::Refused(error),
        }
    }
}

impl From<StoreError> for End {
    fn from(error: StoreError) -> Self {
        AppendError::Store(error).into()
    }
}

impl Attempt<'_> {
    /// Tries, under the reservation that is there, or a new one; a reservation that is left can be used again.
    pub(super) async fn run(&self, session: &mut ClientSession, kept: &mut Option<Reserved>) -> End {
        self.try_once(session, kept).await.unwrap_or_else(|end| end)
    }

    async fn try_once(&self, session: &mut ClientSession, kept: &mut Option<Reserved>) -> Result<End, End> {
        let mut reserved = match kept.take() {
            Some(reserved) => reserved,
            None => self.positions.reserve(session.id(), Within::Ours, self.count()).await?,
        };
        let begun = session.start_transaction().read_concern(ReadConcern::local());
        let begun = begun.write_concern(WriteConcern::majority()).await;
        begun.map_err(|error| self.store.appending.failed(error))?;
        let plan = match self.write(session, &mut reserved).await {
            Ok(plan) if plan.count > 0 => plan,
            Ok(_) => {
                abort(session).await;
                *kept = Some(reserved);
                return self.confirm_conflicts(session).await;
            }
            Err(stopped) => {
                abort(session).await;
                match stopped {
                    Stopped::Gone => {}
                    Stopped::Taken(_) => {
                        self.positions.release(&reserved).await;
                        self.positions.raise(self.store.highest().await?).await?;
                    }
                    Stopped::Failed(_) => *kept = Some(reserved),
                }
                return match stopped.into_error(self.store) {
                    AppendError::Duplicate(event) => self.confirm_duplicate(session, event).await,
                    error => Err(error.into()),
                };
            }
        };
        match commit(session).await {
            Ok(()) => {
                self.store.seen.remember(session);
                Ok(End::Done(plan.results(self.store, Some(&reserved))))
            }
            Err(NotCommitted::Undone(error)) => {
                *kept = Some(reserved);
                Err(self.store.appending.failed(error).into())
            }
            Err(NotCommitted::Unknown(error)) => {
                let error = StoreError::new(ErrorKind::Transient, self.store.appending.failed(error));
                self.settle(session, plan, &reserved, error).await
            }
        }
    }

    /// No append found what it expects, in what the primary had. A failover may undo that, until a majority has it.
    async fn confirm_conflicts(&self, session: &ClientSession) -> Result<End, End> {
        self.store.seen.remember(session);
        let plan = self.store.place(&mut self.store.session().await?, self.batches).await?;
        if plan.count > 0 { Err(self.undone()) } else { Ok(End::Done(plan.results(self.store, None))) }
    }

    /// The primary had this event already. The same holds, unless it is there twice in what was to be appended.
    async fn confirm_duplicate(&self, session: &ClientSession, event: EventRef) -> Result<End, End> {
        let ours = self.batches.iter().flat_map(Batch::events).filter(|ours| **ours == event);
        if ours.count() > 1 {
            return Err(End::Refused(AppendError::Duplicate(event)));
        }
        self.store.seen.remember(session);
        match self.store.locate(std::slice::from_ref(&event)).await?.first() {
            Some(Some(_)) => Err(End::Refused(AppendError::Duplicate(event))),
            _ => Err(self.undone()),
        }
    }

    fn undone(&self) -> End {
        let message = "what was in its way is gone again, such as after a failover";
        End::Again(self.store.appending.wrong(ErrorKind::Transient, message))
    }

    /// Writes what finds its streams as expected; nothing, if none does.
    async fn write(&self, session: &mut ClientSession, reserved: &mut Reserved) -> Result<Plan<'_>, Stopped> {
        let plan = self.store.place(session, self.batches).await?;
        if plan.count == 0 {
            return Ok(plan);
        }
        if reserved.first <= plan.above {
            self.positions.take(reserved, plan.count, plan.above).await?;
        }
        if !self.positions.redeem(session, reserved).await? {
            return Err(Stopped::Gone);
        }
        self.store.write(session, &plan, reserved).await?;
        Ok(plan)
    }

    fn count(&self) -> i64 {
        self.batches.iter().map(Batch::count).sum()
    }

    /// Finds out whether a transaction committed whose commit got no answer: it is ended, and then looked for.
    async fn settle(
        &self,
        session: &mut ClientSession,
        plan: Plan<'_>,
        reserved: &Reserved,
        unknown: StoreError,
    ) -> Result<End, End> {
        let mut asked = 1;
        let found = loop {
            match self.look_for(session, &plan, reserved).await {
                Ok(found) => break found,
                Err(error) if asked < ASKED && error.kind() == ErrorKind::Transient => {
                    tokio::time::sleep(BETWEEN * asked).await;
                    asked += 1;
                }
                // Never an error that says it was not written.
                Err(_) => return Err(End::Unknown(unknown)),
            }
        };
        if found {
            return Ok(End::Done(plan.results(self.store, Some(reserved))));
        }
        Err(unknown.into())
    }

    async fn look_for(
        &self,
        session: &mut ClientSession,
        plan: &Plan<'_>,
        reserved: &Reserved,
    ) -> Result<bool, StoreError> {
        self.positions.end_unknown(session.id(), reserved).await?;
        // The other one was ended.
        *session = self.store.session().await?;
        let Some(first) = plan.placed().flat_map(|placed| placed.batch.events()).next() else { return Ok(false) };
        let found = self.store.locate(std::slice::from_ref(first)).await?;
        Ok(found.first().copied().flatten().is_some_and(|position| position.as_i64() == reserved.first))
    }
}

//! One transaction: the fence, what is known of the instances, the changes, the checkpoint.

use mongodb::options::{ReadConcern, WriteConcern};
use projection_core::{
    ErrorKind, Key, KeyRef, StoreError,
    projection::ViewState,
    store::{Change, Checkpoint, Expected},
};

use super::{Run, chunk::Prepared, session::Session};
use crate::{
    bulk::{Reply, Target, Verb, WriteError},
    document::{Encoder, Stamp},
    error::{Doing, MongoError},
    fences::Fences,
    repository::{positions::Place, statements},
    transaction::{NotCommitted, abort, commit},
};

/// A transaction to be tried.
pub(super) struct Attempt<'a, S, Id> {
    pub(super) run: &'a Run<'a, S, Id>,
    pub(super) chunk: &'a [Prepared],
    /// Stored with the changes, unless one of them has lost.
    pub(super) checkpoint: Option<&'a Checkpoint>,
    /// Whether instances that are expected to be absent are looked at, too.
    pub(super) look_at_all: bool,
}

/// How a transaction ended.
pub(super) enum End {
    /// It is stored; but for those that had lost.
    Committed { lost: Vec<usize>, joined: bool },
    /// Nothing is stored: another owner has the fence.
    Fenced,
    /// Nothing is stored, because of one change.
    Refused { place: usize, error: WriteError },
    /// Nothing is stored: another transaction was in the way.
    InTheWay(StoreError),
    /// Nothing is stored.
    Undone(StoreError),
    /// It may or may not be stored.
    Unknown { error: StoreError, joined: bool },
}

/// What a change needs, by what is stored.
#[derive(Default)]
struct Plan<'a> {
    lost: Vec<usize>,
    /// Deletes whose document is there.
    deletes: Vec<Statement>,
    /// All deletes.
    buries: Vec<&'a Prepared>,
    replaces: Vec<Statement>,
    inserts: Vec<Statement>,
}

/// A change, and its statement.
type Statement = (usize, Vec<u8>);

/// The codes of a transaction that another was in the way of, or that the server gave up.
const IN_THE_WAY: [i32; 2] = [112, 251];

impl From<StoreError> for End {
    fn from(error: StoreError) -> Self {
        let code = error.get_ref().downcast_ref::<MongoError>().and_then(MongoError::code);
        match code {
            Some(code) if IN_THE_WAY.contains(&code) => Self::InTheWay(error),
            _ => Self::Undone(error),
        }
    }
}

impl<S: ViewState, Id: Key> Attempt<'_, S, Id> {
    pub(super) async fn run(self, session: &mut Session) -> End {
        let begun = session.session.start_transaction().read_concern(ReadConcern::local());
        if let Err(error) = begun.write_concern(WriteConcern::majority()).await {
            return End::Undone(self.writing().failed(error));
        }
        match self.write(session).await {
            Ok((lost, joined)) => match commit(&mut session.session).await {
                Ok(()) => End::Committed { lost, joined },
                Err(NotCommitted::Undone(error)) => self.writing().failed(error).into(),
                Err(NotCommitted::Unknown(error)) => {
                    // Never an error that says it was not written.
                    let error = StoreError::new(ErrorKind::Transient, self.writing().failed(error));
                    End::Unknown { error, joined }
                }
            },
            Err(end) => {
                abort(&mut session.session).await;
                end
            }
        }
    }

    /// Writes all; which changes had lost, and whether the checkpoint is in it.
    async fn write(&self, session: &mut Session) -> Result<(Vec<usize>, bool), End> {
        let Run { repository, owner, fence, .. } = self.run;
        let fenced = [Fences::statement(owner.projection, fence)];
        let fences = &owner.fences;
        let reply = session.send(fences.target(), fences.writing(), Verb::Update, fenced.iter()).await?;
        self.whole(&reply, fences.writing())?;
        if reply.n != 1 {
            return Err(End::Fenced);
        }

        let plan = self.plan(session).await?;
        let checkpoint = self.checkpoint.filter(|_| plan.lost.is_empty());
        if !plan.buries.is_empty() {
            self.bury(session, &plan.buries).await?;
        }
        let documents = &repository.target;
        self.send(session, documents, Verb::Delete, &plan.deletes).await?;
        self.send(session, documents, Verb::Update, &plan.replaces).await?;
        self.send(session, documents, Verb::Insert, &plan.inserts).await?;
        if let Some(checkpoint) = checkpoint {
            let statement = [owner.checkpoints.statement(checkpoint)?];
            let doing = Doing::new("writing to", &owner.checkpoints.target().collection);
            let reply = session.send(owner.checkpoints.target(), &doing, Verb::Update, statement.iter()).await?;
            self.whole(&reply, &doing)?;
        }
        Ok((plan.lost, checkpoint.is_some()))
    }

    async fn plan(&self, session: &mut Session) -> Result<Plan<'_>, End> {
        let repository = self.run.repository;
        let look_at_all = self.look_at_all || repository.tombstones.may_be();
        let seen: Vec<&Prepared> =
            self.chunk.iter().filter(|prepared| look_at_all || !self.is_insert(prepared)).collect();
        let ids: Vec<_> = seen.iter().map(|prepared| self.id(prepared)).collect();
        let found =
            if ids.is_empty() { Vec::new() } else { repository.places_in(&mut session.session, &ids).await? };
        let mut plan = Plan::default();
        for (prepared, found) in seen.into_iter().zip(found) {
            self.decide(&mut plan, prepared, found);
        }
        if !look_at_all {
            // Their `_id` guards them.
            for prepared in self.chunk.iter().filter(|prepared| self.is_insert(prepared)) {
                self.decide(&mut plan, prepared, Place::default());
            }
        }
        Ok(plan)
    }

    fn decide<'p>(&self, plan: &mut Plan<'p>, prepared: &'p Prepared, found: Place) {
        let (place, id) = (prepared.place, self.id(prepared));
        if !found.is(self.change(prepared).expected) {
            plan.lost.push(place);
            return;
        }
        match (&prepared.document, found.document) {
            (None, document) => {
                plan.buries.push(prepared);
                if document.is_some() {
                    plan.deletes.push((place, statements::delete_any(id)));
                }
            }
            // Not ours.
            (Some(_), Some(None)) => plan.lost.push(place),
            (Some(document), Some(Some(_))) => plan.replaces.push((place, statements::replace(id, document))),
            (Some(document), None) => plan.inserts.push((place, document.clone())),
        }
    }

    /// Puts tombstones, also where the checkpoint goes with the deletes: should the answer to the commit be lost, the
    /// batch is folded again onto what is stored, and it must be seen that the instance was deleted by it.
    async fn bury(&self, session: &mut Session, buries: &[&Prepared]) -> Result<(), End> {
        let repository = self.run.repository;
        let (tombstones, format) = (&repository.tombstones, &repository.format);
        tombstones.expect();
        let encoder = Encoder::new(format);
        let statements: Vec<_> = buries
            .iter()
            .map(|prepared| {
                let (id, change) = (self.id(prepared), self.change(prepared));
                let stamp = Stamp { position: change.position, offered: change.offered, epoch: None };
                statements::bury(format, id, change.position, &encoder.tombstone(id, stamp))
            })
            .collect();
        let reply = session.send(&tombstones.target, &tombstones.writing, Verb::Update, statements.iter()).await?;
        self.whole(&reply, &tombstones.writing)
    }

    async fn send(
        &self,
        session: &mut Session,
        target: &Target,
        verb: Verb,
        statements: &[Statement],
    ) -> Result<(), End> {
        let documents = statements.iter().map(|(_, document)| document);
        let reply = session.send(target, self.writing(), verb, documents).await?;
        if let Some(error) = reply.errors.into_iter().next() {
            return Err(match statements.get(error.index) {
                Some((place, _)) => End::Refused { place: *place, error },
                None => End::Undone(error.error(self.writing())),
            });
        }
        if reply.n != statements.len() {
            let message = format!("{} of {} documents were found", reply.n, statements.len());
            return Err(End::Undone(self.writing().wrong(ErrorKind::Transient, message)));
        }
        Ok(())
    }

    /// For statements that are of no single change.
    fn whole(&self, reply: &Reply, doing: &Doing) -> Result<(), End> {
        reply.errors.first().map_or(Ok(()), |error| Err(End::Undone(error.error(doing))))
    }

    fn is_insert(&self, prepared: &Prepared) -> bool {
        prepared.document.is_some() && self.change(prepared).expected == Expected::Absent
    }

    fn change(&self, prepared: &Prepared) -> &Change<'_, S, Id> {
        &self.run.commit.changes[prepared.place]
    }

    fn id(&self, prepared: &Prepared) -> KeyRef<'_> {
        self.change(prepared).id.as_key()
    }

    fn writing(&self) -> &Doing {
        &self.run.repository.writing
    }
}

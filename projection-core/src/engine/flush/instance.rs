//! One instance in a flush: its steps, what it was computed from, and its folded state.

use crate::{
    FeedError, Key, OnPoison, Position, Projection, StoreError, ViewStateRepository,
    engine::{
        Folding, HandlerTable, Passed,
        batch::Step,
        decode::DecodedEvent,
        fold_instance,
        identity::FailedWrite,
        target::FlushContext,
        waiting::{GaveUp, retried},
    },
    store::{Expected, GuardedRepository, Stored},
};

/// An instance and what the batch does to it.
pub(super) struct Instance<P: Projection> {
    pub id: P::Id,
    pub steps: Vec<Step>,
    /// What its state was computed from.
    pub expected: Expected,
    pub folding: Folding<P::State>,
    had_state: bool,
    bytes: usize,
    /// Steps whose handler panicked and that are passed over.
    except: Vec<bool>,
}

impl<P: Projection> Instance<P> {
    pub(super) fn new(id: P::Id, steps: Vec<Step>, stored: Option<Stored<P::State>>) -> Self {
        let mut instance = Self {
            id,
            steps,
            expected: Expected::Absent,
            folding: Folding::from_stored(None),
            had_state: false,
            bytes: 0,
            except: Vec::new(),
        };
        instance.start_from(stored);
        instance
    }

    /// Begins anew from what is stored.
    pub(super) fn start_from(&mut self, stored: Option<Stored<P::State>>) {
        self.expected = stored.as_ref().map_or(Expected::Absent, |stored| Expected::At(stored.position));
        self.had_state = stored.as_ref().is_some_and(|stored| stored.state.is_some());
        self.bytes = stored.as_ref().map_or(0, |stored| stored.bytes);
        self.folding = Folding::from_stored(stored);
    }

    /// Folds the steps. After a panic that is to be skipped, the state is loaded again from `home` and folded without
    /// that event (spec: B17); what is passed over is added to `passed`.
    pub(super) async fn fold(
        &mut self,
        table: &HandlerTable<P>,
        context: &FlushContext<'_>,
        passed: &mut Passed,
        home: Home<'_, P>,
    ) -> Result<(), FeedError> {
        loop {
            let Err(panicked) = fold_instance(table, &self.id, &mut self.folding, &self.steps, &self.except) else {
                return Ok(());
            };
            let event = &self.steps[panicked.step].event;
            let fails = |why: &str| {
                let source = StoreError::poison(format!("its handler {}{why}", panicked.message));
                Err(context.identity.poison(event, Some(self.name()), source))
            };
            match context.options.on_poison() {
                OnPoison::Skip => {
                    passed.skipped.push(context.identity.skipped(event, Some(self.name()), &panicked.message));
                    self.except.resize(self.steps.len(), false);
                    self.except[panicked.step] = true;
                }
                OnPoison::Park { max } if passed.parked_in_all() >= max => {
                    return fails(&format!("; {max} instances are parked, and no more may be"));
                }
                OnPoison::Park { .. } if event.stored => {
                    passed.parked.push(context.identity.parked(event, self.name(), panicked.message));
                    self.steps.truncate(panicked.step);
                }
                OnPoison::Park { .. } | OnPoison::Fail => return fails(""),
            }
            let stored = retried(context.options.retry(), context.stop, || home.load(&self.id))
                .await
                .map_err(|gave_up| self.gave_up(context, gave_up))?;
            self.start_from(stored);
        }
    }

    /// Whether there is something to write: an instance that was absent and is absent again writes nothing (spec: B3).
    pub(super) fn is_changed(&self) -> bool {
        self.folding.moved && (self.had_state || self.folding.state.is_some())
    }

    /// Whether nothing was known to be stored.
    pub(super) fn is_absent(&self) -> bool {
        matches!(self.expected, Expected::Absent)
    }

    /// What is stored now, for the cache.
    pub(super) fn into_stored(self, bytes: usize) -> (P::Id, Stored<P::State>) {
        let Folding { state, position, offered, .. } = self.folding;
        (self.id, Stored { state, position, offered, bytes })
    }

    /// What was stored before and still is, for the cache, where nothing was to be written.
    pub(super) fn into_unchanged(self) -> Option<(P::Id, Stored<P::State>)> {
        let bytes = self.bytes;
        (!self.is_absent() && !self.folding.moved).then(|| self.into_stored(bytes))
    }

    /// The id as text, for messages and records.
    pub(super) fn name(&self) -> String {
        self.id.as_key().to_string()
    }

    pub(super) fn last_event(&self) -> Option<&DecodedEvent> {
        self.steps.last().map(|step| step.event.as_ref())
    }

    pub(super) fn position(&self) -> Position {
        self.folding.position
    }

    pub(super) fn failed(&self, context: &FlushContext<'_>, source: StoreError, tries: usize) -> FeedError {
        let at = FailedWrite { instance: Some(self.name()), event: self.last_event(), tries };
        context.identity.write_failed(at, source)
    }

    pub(super) fn gave_up(&self, context: &FlushContext<'_>, gave_up: GaveUp) -> FeedError {
        match gave_up {
            GaveUp::Failed { source, tries } => self.failed(context, source, tries),
            GaveUp::Stopped => context.stopped(),
        }
    }
}

/// Where instances are stored.
pub(super) enum Home<'a, P: Projection> {
    Guarded(&'a dyn GuardedRepository<P::State, P::Id>),
    Plain(&'a dyn ViewStateRepository<P::State, P::Id>),
}

impl<P: Projection> Clone for Home<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Projection> Copy for Home<'_, P> {}

impl<P: Projection> Home<'_, P> {
    /// What is stored for one instance.
    pub(super) async fn load(self, id: &P::Id) -> Result<Option<Stored<P::State>>, StoreError> {
        match self {
            Self::Guarded(home) => Ok(home.load(std::slice::from_ref(id)).await?.pop().map(|(_, stored)| stored)),
            Self::Plain(home) => Ok(home.find_by_id(id).await?.map(without_position)),
        }
    }
}

/// Without positions every event that is read is new.
pub(super) fn without_position<S>(state: S) -> Stored<S> {
    Stored { state: Some(state), position: Position::START, offered: Vec::new(), bytes: 0 }
}

/// The repository answered for an id that it was not asked for.
pub(super) fn misplaced<P: Projection>(
    instances: &[Instance<P>],
    context: &FlushContext<'_>,
    place: usize,
) -> FeedError {
    let text = format!("the repository answered for place {place} of the ids, and there are fewer");
    batch_gave_up(instances, context, GaveUp::Failed { source: StoreError::permanent(text), tries: 1 })
}

/// A batch failed, and the repository does not say which instance: names the batch's last event.
pub(super) fn batch_gave_up<P: Projection>(
    instances: &[Instance<P>],
    context: &FlushContext<'_>,
    gave_up: GaveUp,
) -> FeedError {
    match gave_up {
        GaveUp::Stopped => context.stopped(),
        GaveUp::Failed { source, tries } => {
            let event = instances.iter().filter_map(Instance::last_event).max_by_key(|event| event.meta.position());
            context.identity.write_failed(FailedWrite { instance: None, event, tries }, source)
        }
    }
}

//! The outcomes of a commit, as they come in.

use projection_core::{ErrorKind, StoreError, store::ChangeOutcome};

use crate::{
    bulk::{Answer, WriteError},
    error::Doing,
};

/// One outcome for each change, in their order.
#[derive(Debug)]
pub(super) struct Outcomes(Vec<Option<ChangeOutcome>>);

impl Outcomes {
    pub(super) fn none(changes: usize) -> Self {
        Self(std::iter::repeat_with(|| None).take(changes).collect())
    }

    pub(super) fn set(&mut self, place: usize, outcome: ChangeOutcome) {
        self.0[place] = Some(outcome);
    }

    pub(super) fn rejected(&mut self, place: usize, error: StoreError) {
        self.set(place, ChangeOutcome::Rejected(error));
    }

    /// Takes the answer to a statement for the change at `place`. Whether a guard did not hold.
    pub(super) fn answered(&mut self, place: usize, bytes: usize, answer: Answer, doing: &Doing) -> bool {
        let outcome = match answer {
            Answer::Done => ChangeOutcome::Written { bytes },
            Answer::Refused(error) if is_lost_race(&error) => ChangeOutcome::Lost,
            Answer::Refused(error) => ChangeOutcome::Rejected(error.error(doing)),
            Answer::NotDone(error) => ChangeOutcome::Rejected(error),
            Answer::Unknown(error) => ChangeOutcome::Unknown(error),
        };
        let lost = matches!(outcome, ChangeOutcome::Lost);
        self.set(place, outcome);
        lost
    }

    /// Certainly not written. Where trying again may help, loading again is harmless.
    pub(super) fn not_written(&mut self, place: usize, error: &StoreError) {
        self.set(place, Self::of_not_written(error));
    }

    fn of_not_written(error: &StoreError) -> ChangeOutcome {
        if error.may_pass() {
            ChangeOutcome::Unknown(error.clone())
        } else {
            ChangeOutcome::Rejected(error.clone())
        }
    }

    /// What has no outcome yet is certainly not written.
    pub(super) fn rest_not_written(&mut self, error: &StoreError) {
        let open = self.0.iter_mut().filter(|outcome| outcome.is_none());
        open.for_each(|outcome| *outcome = Some(Self::of_not_written(error)));
    }

    /// How many changes are written.
    pub(super) fn written(&self) -> usize {
        self.0.iter().filter(|outcome| matches!(outcome, Some(ChangeOutcome::Written { .. }))).count()
    }

    /// What has no outcome yet has lost.
    pub(super) fn rest_lost(&mut self) {
        self.0
            .iter_mut()
            .filter(|outcome| outcome.is_none())
            .for_each(|outcome| *outcome = Some(ChangeOutcome::Lost));
    }

    /// Whether any change was refused by itself.
    pub(super) fn any_rejected(&self) -> bool {
        self.0.iter().any(|outcome| matches!(outcome, Some(ChangeOutcome::Rejected(_))))
    }

    /// What was refused has lost: another owner's epoch was the reason.
    pub(super) fn rejected_lost(&mut self) {
        let rejected = self.0.iter_mut().filter(|outcome| matches!(outcome, Some(ChangeOutcome::Rejected(_))));
        rejected.for_each(|outcome| *outcome = Some(ChangeOutcome::Lost));
    }

    /// The same error for several changes.
    pub(super) fn unknown(&mut self, places: &[usize], error: &StoreError) {
        for place in places {
            self.set(*place, ChangeOutcome::Unknown(error.clone()));
        }
    }

    /// The changes that a secondary unique index refused, if any other change was written.
    pub(super) fn refused_by_index(&self) -> Vec<usize> {
        let any_written = self.0.iter().any(|outcome| matches!(outcome, Some(ChangeOutcome::Written { .. })));
        let refused = |outcome: &Option<ChangeOutcome>| matches!(outcome, Some(ChangeOutcome::Rejected(error)) if error.kind() == ErrorKind::Unique);
        let places = self.0.iter().enumerate().filter(|(_, outcome)| any_written && refused(outcome));
        places.map(|(place, _)| place).collect()
    }

    pub(super) fn finish(self) -> Vec<ChangeOutcome> {
        // Each change was set; were one forgotten, "unknown" makes the caller look again.
        let forgotten = || ChangeOutcome::Unknown(StoreError::transient("no statement was sent for this change"));
        self.0.into_iter().map(|outcome| outcome.unwrap_or_else(forgotten)).collect()
    }
}

/// A guard in a pipeline that does not hold, or an insert over a document that is there.
fn is_lost_race(error: &WriteError) -> bool {
    error.kind() == ErrorKind::Conflict
}

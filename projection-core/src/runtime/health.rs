//! Whether a projection is well: a replay that advances is alive but not ready; lag without progress is neither.

use std::time::Duration;

use crate::{Phase, Progress};

/// How a projection is, for readiness and liveness checks (spec: B41).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Health {
    /// It applies its history, and advances: alive, not ready.
    CatchingUp,
    /// It is up to date, or soon will be: alive and ready.
    Ready,
    /// There is lag, and it has not moved for so long: something is wrong.
    Stalled(Duration),
    /// An error that may pass ended it; it is started again by itself.
    Retrying,
    /// Another process owns it: alive; whether its view is up to date, the owner knows.
    Standby,
    /// It was stopped by a call.
    Stopped,
    /// It failed, and waits to be resumed.
    Failed,
}

/// After how long without a move, while there is lag, a projection counts as stalled.
pub(super) const STALLED_AFTER: Duration = Duration::from_secs(30);

impl Health {
    pub(super) fn of(progress: &Progress, unmoved: Duration) -> Self {
        match progress.phase {
            Phase::Stopped => Self::Stopped,
            Phase::Failed => Self::Failed,
            Phase::Retrying => Self::Retrying,
            Phase::Standby => Self::Standby,
            _ if progress.lag() > 0 && unmoved >= STALLED_AFTER => Self::Stalled(unmoved),
            Phase::Live => Self::Ready,
            Phase::Starting | Phase::Replaying | Phase::Draining => Self::CatchingUp,
        }
    }

    /// Whether the process does what it can: a service that is not alive is restarted.
    #[must_use]
    pub fn is_alive(self) -> bool {
        !matches!(self, Self::Stalled(_) | Self::Failed)
    }

    /// Whether the view is up to date.
    #[must_use]
    pub fn is_ready(self) -> bool {
        matches!(self, Self::Ready)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Position, progress::ProgressRecorder};

    fn health(phase: Phase, head: u32, unmoved: u64) -> Health {
        let recorder = ProgressRecorder::new("orders");
        recorder.begin(phase, Position::START);
        recorder.head(Position::from(head));
        Health::of(&recorder.watch().borrow(), Duration::from_secs(unmoved))
    }

    // spec: B41
    #[test]
    fn lag_without_progress_is_a_state_of_its_own() {
        assert_eq!(health(Phase::Live, 5, 31), Health::Stalled(Duration::from_secs(31)));
        assert_eq!(health(Phase::Replaying, 5, 31), Health::Stalled(Duration::from_secs(31)));
        assert_eq!(health(Phase::Live, 0, 3600), Health::Ready, "an idle view is well");
    }

    // spec: B41
    #[test]
    fn a_replay_that_advances_is_alive_but_not_ready() {
        let replaying = health(Phase::Replaying, 5, 1);
        assert!(replaying.is_alive() && !replaying.is_ready());
        assert!(health(Phase::Starting, 0, 0).is_alive());
    }
}

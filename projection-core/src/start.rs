//! Where a view begins.

use time::OffsetDateTime;

use crate::Position;

/// Where a view begins when it has no checkpoint; with one it goes on from there, but for
/// [`AlwaysBeginning`](Self::AlwaysBeginning).
///
/// A start later than the beginning leaves out the events before it for good, and is recorded with the checkpoint. To
/// start earlier than that afterwards is a rebuild, and refused until the view is emptied (spec: P22).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start {
    /// With the first event of the history.
    #[default]
    Beginning,
    /// With the first event after the mark that the store has when the view first starts.
    Now,
    /// With the first event after this position. Refused when the store has not come so far.
    After(Position),
    /// With the first event, in position order, that happened at this time or later. Events after it are taken whatever
    /// time they carry. Asked of the store once, when the view has no checkpoint.
    At(OffsetDateTime),
    /// With the first event, at each start of a process: for a view that lives in the memory of the process. No
    /// checkpoint is read or stored, and no lease taken, so that each process feeds a view of its own. A view that
    /// outlives the process must be guarded, or its events are applied again.
    AlwaysBeginning,
}

impl Start {
    /// Whether how far the view is stays in the memory of this process.
    pub(crate) fn forgets(self) -> bool {
        self == Self::AlwaysBeginning
    }
}

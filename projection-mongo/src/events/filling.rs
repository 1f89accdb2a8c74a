//! How positions get their events in a collection that others write.

use std::time::Duration;

use projection_core::InvalidOption;

/// How positions get their events in a collection that a program writes which does not use this crate: what the mark may
/// take for granted.
///
/// Most such programs take a position from a counter first, and insert the event later, so that a higher position may be
/// there before a lower one. That is [`Late`](Self::Late), which is what is taken for granted where nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filling {
    /// Each event is inserted before the next position is given out: one writer at a time, or all in one line. The mark is
    /// the highest position. Also for positions that are far from each other, such as times: every one of them would look
    /// like a gap.
    InOrder,
    /// Positions are given out in order, one by one, and filled in any order, or never. The mark stands below the lowest
    /// position that is not filled; one that has not been filled for as long as the horizon is taken for one that never
    /// will be.
    Late {
        /// From 100 milliseconds to one hour; it should be longer than any transaction of the writers takes. While a
        /// position stays empty, views are that much behind.
        horizon: Duration,
    },
}

impl Filling {
    /// Ten seconds.
    pub const HORIZON: Duration = Duration::from_secs(10);

    /// Filled in any order, within ten seconds.
    #[must_use]
    pub const fn late() -> Self {
        Self::Late { horizon: Self::HORIZON }
    }

    pub(super) fn check(self) -> Result<(), InvalidOption> {
        match self {
            Self::Late { horizon }
                if !(Duration::from_millis(100)..=Duration::from_secs(3600)).contains(&horizon) =>
            {
                let allowed = "from 100 milliseconds to one hour";
                Err(InvalidOption { option: "horizon", value: format!("{horizon:?}"), allowed })
            }
            _ => Ok(()),
        }
    }
}

impl Default for Filling {
    /// [`late`](Self::late).
    fn default() -> Self {
        Self::late()
    }
}

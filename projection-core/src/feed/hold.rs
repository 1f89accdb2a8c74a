//! What happens when more events are offered during a replay than may be held (spec: P21).

/// How many offered events are held while a replay runs, and what happens at the bound. Never a silent drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hold {
    /// Up to so many are held; the next is refused with [`FeedError::HoldFull`](super::FeedError::HoldFull).
    Refuse(usize),
    /// Up to so many are held; the next caller waits until there is room.
    Wait(usize),
}

impl Hold {
    pub(crate) fn limit(self) -> usize {
        match self {
            Self::Refuse(limit) | Self::Wait(limit) => limit,
        }
    }
}

impl Default for Hold {
    /// 10,000, then an error.
    fn default() -> Self {
        Self::Refuse(10_000)
    }
}

//! The ways that are compared.

use serde::{Deserialize, Serialize};

/// One way from the history to the view, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Way {
    /// Ours, with the options that the docs recommend for a rebuild.
    Rebuild,
    /// Ours, with default options.
    Default,
    /// Read, apply, write, one event after another.
    PerEvent,
    /// The same, acknowledged by the primary alone.
    PerEventOne,
    /// A thousand events after another: one read, one bulk upsert.
    PlainBatch,
    /// The events are read, and not looked at.
    Scan,
    /// The events are read and decoded.
    Decode,
    /// The final states are inserted, each once.
    Insert,
}

impl Way {
    /// All that make sense for a store.
    pub(crate) fn all(has_write_concern: bool) -> Vec<Self> {
        let all = [
            Self::Rebuild,
            Self::Default,
            Self::PerEvent,
            Self::PerEventOne,
            Self::PlainBatch,
            Self::Scan,
            Self::Decode,
            Self::Insert,
        ];
        all.into_iter().filter(|way| has_write_concern || *way != Self::PerEventOne).collect()
    }

    /// Its name in JSON.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Rebuild => "ours_rebuild",
            Self::Default => "ours_default",
            Self::PerEvent => "per_event",
            Self::PerEventOne => "per_event_w1",
            Self::PlainBatch => "plain_batch",
            Self::Scan => "floor_scan",
            Self::Decode => "floor_decode",
            Self::Insert => "floor_insert",
        }
    }

    /// Its name for a person.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Rebuild => "ours, rebuild",
            Self::Default => "ours, defaults",
            Self::PerEvent => "per event",
            Self::PerEventOne => "per event, w: 1",
            Self::PlainBatch => "plain batch of 1,000",
            Self::Scan => "floor: scan",
            Self::Decode => "floor: scan, decode",
            Self::Insert => "floor: insert states",
        }
    }

    /// Whether it is one of ours.
    pub(crate) fn is_ours(self) -> bool {
        matches!(self, Self::Rebuild | Self::Default)
    }

    /// Whether it leaves a view.
    pub(crate) fn writes(self) -> bool {
        !matches!(self, Self::Scan | Self::Decode)
    }

    /// Whether it is too slow for the whole history.
    pub(crate) fn is_sampled(self) -> bool {
        matches!(self, Self::PerEvent | Self::PerEventOne)
    }
}

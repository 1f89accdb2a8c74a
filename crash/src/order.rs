//! What the driver orders a child to do, handed over as JSON on its command line.

use std::{fmt, path::PathBuf};

use serde::{Deserialize, Serialize};

/// One start of a child.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Order {
    /// Which process it plays: `A` or `B`, or `W` who writes.
    pub(crate) name: String,
    pub(crate) events: Home,
    pub(crate) views: Home,
    pub(crate) batch_size: usize,
    pub(crate) memory_budget: Option<usize>,
    pub(crate) lease_ms: u64,
    /// The file that it appends to.
    pub(crate) journal: PathBuf,
    /// Where it ends or stops itself.
    pub(crate) at: Option<At>,
    pub(crate) mutant: Option<Mutant>,
    /// Where events are appended meanwhile.
    pub(crate) live: Option<Live>,
    /// Whether it is the one who appends them.
    pub(crate) is_writer: bool,
}

/// Live traffic.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Live {
    /// The flights.
    pub(crate) data: PathBuf,
    pub(crate) seed: u64,
    /// A file that is there once all is appended, and says up to where.
    pub(crate) done: PathBuf,
}

/// Where events are, or views go.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Home {
    Mongo { uri: String, database: String },
    Sqlite(PathBuf),
}

/// A step of the child's way, and what the child does to itself there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct At {
    /// Such as `before commit`; with ` of carriers` behind it, of that projection only.
    pub(crate) step: String,
    /// Counted from 1.
    pub(crate) nth: u64,
    pub(crate) signal: Signal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Signal {
    Kill,
    Stop,
}

/// A mechanism that is broken on purpose, to show that the harness sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mutant {
    /// Writes do not compare positions.
    Guard,
    /// The checkpoint is stored before the batch.
    Checkpoint,
    /// The fence is read, not written.
    Fence,
    /// Deletes leave no tombstone.
    Tombstone,
    /// The collection takes documents of former owners.
    Epoch,
    /// Loads hide the position, so that no event is seen to be applied already.
    Duplicates,
}

impl Mutant {
    pub(crate) const ALL: [Self; 6] =
        [Self::Guard, Self::Checkpoint, Self::Fence, Self::Tombstone, Self::Epoch, Self::Duplicates];

    /// Whether the check of epochs would make up for the loss.
    pub(crate) fn goes_without_epochs(self) -> bool {
        matches!(self, Self::Guard | Self::Tombstone | Self::Epoch)
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Guard => "guard taken out",
            Self::Checkpoint => "checkpoint before flush",
            Self::Fence => "fence only read",
            Self::Tombstone => "tombstone left out",
            Self::Epoch => "epoch not checked",
            Self::Duplicates => "duplicate check taken out",
        })
    }
}

//! The options of our own runs.

use std::time::Duration;

use projection_core::MaterializedViewOptionsBuilder;
use serde::{Deserialize, Serialize};

/// Which options a run of ours has.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Tuning {
    /// Those of a rebuild, not the defaults.
    pub(crate) rebuild: bool,
    /// Instead of the default.
    pub(crate) batch_size: Option<usize>,
    /// In bytes, instead of [`BUDGET`].
    pub(crate) memory_budget: Option<usize>,
    /// Instead of the default.
    pub(crate) max_loss: Option<Duration>,
}

/// The memory budget that the docs recommend for a rebuild, in bytes.
pub(crate) const BUDGET: usize = 256 << 20;

impl Tuning {
    /// The memory budget, in bytes, of a rebuild.
    pub(crate) fn budget(self) -> usize {
        self.memory_budget.unwrap_or(BUDGET)
    }

    /// Sets the options.
    pub(crate) fn apply(self, options: MaterializedViewOptionsBuilder) -> MaterializedViewOptionsBuilder {
        let options = if self.rebuild { recommended(options, self) } else { options };
        match self.batch_size {
            Some(pairs) if !self.rebuild => options.batch_size(pairs),
            _ => options,
        }
    }
}

/// What `docs/guide/batching.md` recommends for a rebuild.
fn recommended(options: MaterializedViewOptionsBuilder, tuning: Tuning) -> MaterializedViewOptionsBuilder {
    options.batch_size(100_000).cache_bytes(tuning.budget())
}

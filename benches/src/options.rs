//! The options of our own runs.

use std::time::Duration;

use projection_core::{EventStore, MaterializedViewOptionsBuilder, ViewStore, runtime::ProjectionRuntimeBuilder};
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
    /// How long a dead process owns the view, instead of the default.
    pub(crate) lease: Option<Duration>,
}

/// The memory budget that the docs recommend for a rebuild, in bytes.
pub(crate) const BUDGET: usize = 256 << 20;

impl Tuning {
    /// Sets what is set of the runtime, not of one view.
    pub(crate) fn of_runtime<E: EventStore, V: ViewStore>(
        self,
        builder: ProjectionRuntimeBuilder<E, V>,
    ) -> ProjectionRuntimeBuilder<E, V> {
        match self.lease {
            Some(lease) => builder.lease(lease),
            None => builder,
        }
    }

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

/// What the docs recommend for a rebuild: to hold states in memory, and to write each once.
fn recommended(options: MaterializedViewOptionsBuilder, tuning: Tuning) -> MaterializedViewOptionsBuilder {
    let options = options.memory_budget(tuning.budget());
    match tuning.max_loss {
        Some(loss) => options.max_replay_loss(loss),
        None => options,
    }
}

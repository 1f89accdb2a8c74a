//! Settings of a view store.

use std::collections::HashMap;

use super::Transactions;
use crate::{checkpoints, fences, leases};

/// Where views and checkpoints are kept.
#[derive(Debug, Clone)]
pub struct MongoViewsOptions {
    plain: HashMap<String, String>,
    checkpoints: String,
    skipped: String,
    parked: String,
    leases: String,
    fences: String,
    transactions: Transactions,
    epoch_check: bool,
}

impl MongoViewsOptions {
    /// A versioned collection for each view; checkpoints in `projection.checkpoints`, records of skipped events in
    /// `projection.skipped`, of parked instances in `projection.parked`; leases in `projection.leases`, and the epochs
    /// that fence former owners in `projection.fences`.
    #[must_use]
    pub fn new() -> Self {
        Self {
            plain: HashMap::new(),
            checkpoints: checkpoints::CHECKPOINTS.to_owned(),
            skipped: checkpoints::SKIPPED.to_owned(),
            parked: checkpoints::PARKED.to_owned(),
            leases: leases::LEASES.to_owned(),
            fences: fences::FENCES.to_owned(),
            transactions: Transactions::Auto,
            epoch_check: true,
        }
    }

    /// Keeps the view called `projection` in this collection, whatever its version. There is no switch from one
    /// version to the next then: when the version is raised, documents of the old one are refused until the
    /// collection is emptied.
    #[must_use]
    pub fn with_plain_collection(mut self, projection: impl Into<String>, collection: impl Into<String>) -> Self {
        self.plain.insert(projection.into(), collection.into());
        self
    }

    /// Keeps checkpoints, and the records of skipped events, in these collections.
    #[must_use]
    pub fn with_checkpoints(mut self, checkpoints: impl Into<String>, skipped: impl Into<String>) -> Self {
        self.checkpoints = checkpoints.into();
        self.skipped = skipped.into();
        self
    }

    /// Keeps the records of parked instances in this collection.
    #[must_use]
    pub fn with_parked(mut self, parked: impl Into<String>) -> Self {
        self.parked = parked.into();
        self
    }

    /// Keeps leases, and the epochs that fence former owners, in these collections. All processes that keep a view
    /// must name the same.
    #[must_use]
    pub fn with_leases(mut self, leases: impl Into<String>, fences: impl Into<String>) -> Self {
        self.leases = leases.into();
        self.fences = fences.into();
        self
    }

    /// Whether the owner of a view writes it in transactions; by default where the server has them.
    #[must_use]
    pub fn with_transactions(mut self, transactions: Transactions) -> Self {
        self.transactions = transactions;
        self
    }

    /// Where there are no transactions: leaves the validator of a view's collection alone.
    ///
    /// By default each takeover tells it the epoch of the new owner, so that the server refuses what a former owner
    /// inserts late (spec: B18); the connected user needs `collMod`, which is in the role `dbAdmin`. Without it, a process
    /// that was stopped past its lease may bring an instance back that was deleted meanwhile.
    #[must_use]
    pub fn without_epoch_check(mut self) -> Self {
        self.epoch_check = false;
        self
    }

    pub(super) fn are_epochs_checked(&self) -> bool {
        self.epoch_check
    }

    pub(super) fn transactions(&self) -> Transactions {
        self.transactions
    }

    pub(super) fn plain_collection(&self, projection: &str) -> Option<&str> {
        self.plain.get(projection).map(String::as_str)
    }

    /// Of checkpoints, skipped events and parked instances.
    pub(super) fn checkpoint_collections(&self) -> (&str, &str, &str) {
        (&self.checkpoints, &self.skipped, &self.parked)
    }

    /// Of leases and fences.
    pub(super) fn lease_collections(&self) -> (&str, &str) {
        (&self.leases, &self.fences)
    }
}

impl Default for MongoViewsOptions {
    fn default() -> Self {
        Self::new()
    }
}

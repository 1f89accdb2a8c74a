//! Settings of a view store.

use std::collections::HashMap;

use crate::checkpoints;

/// Where views and checkpoints are kept.
#[derive(Debug, Clone)]
pub struct MongoViewsOptions {
    plain: HashMap<String, String>,
    checkpoints: String,
    skipped: String,
}

impl MongoViewsOptions {
    /// A versioned collection for each view; checkpoints in `projection.checkpoints`, records of skipped events in
    /// `projection.skipped`.
    #[must_use]
    pub fn new() -> Self {
        Self {
            plain: HashMap::new(),
            checkpoints: checkpoints::CHECKPOINTS.to_owned(),
            skipped: checkpoints::SKIPPED.to_owned(),
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

    pub(super) fn plain_collection(&self, projection: &str) -> Option<&str> {
        self.plain.get(projection).map(String::as_str)
    }

    pub(super) fn checkpoint_collections(&self) -> (&str, &str) {
        (&self.checkpoints, &self.skipped)
    }
}

impl Default for MongoViewsOptions {
    fn default() -> Self {
        Self::new()
    }
}

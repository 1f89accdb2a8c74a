//! Settings of a store.

use std::time::Duration;

use projection_core::store::SourceName;

/// How a file is opened.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    source_name: SourceName,
    busy_timeout: Duration,
}

impl SqliteOptions {
    /// The order of positions is called `events`; five seconds for another process to end its transaction.
    #[must_use]
    pub fn new() -> Self {
        Self { source_name: SourceName::default(), busy_timeout: Duration::from_secs(5) }
    }

    /// The name of this store's order of positions, and the source of events that name none. Stored instances carry
    /// it: choose it once.
    #[must_use]
    pub fn with_source_name(mut self, name: SourceName) -> Self {
        self.source_name = name;
        self
    }

    /// How long to wait, without holding up the async runtime, while another process writes. Afterwards the call fails
    /// with a [`Transient`](projection_core::ErrorKind::Transient) error, and nothing of it is stored. Up to 24 days.
    #[must_use]
    pub fn with_busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout.min(LONGEST);
        self
    }

    pub(crate) fn source_name(&self) -> &SourceName {
        &self.source_name
    }

    pub(crate) fn busy_timeout(&self) -> Duration {
        self.busy_timeout
    }
}

/// SQLite counts milliseconds in 31 bits.
const LONGEST: Duration = Duration::from_secs(24 * 24 * 60 * 60);

impl Default for SqliteOptions {
    fn default() -> Self {
        Self::new()
    }
}

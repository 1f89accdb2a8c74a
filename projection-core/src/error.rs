//! The error of the storage traits: one type, classified once, where it enters.

use std::{error::Error as StdError, fmt, sync::Arc};

type Source = Box<dyn StdError + Send + Sync>;

/// What an error of a store means for the one who called it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// It may pass by itself: a broken connection, a step-down. For a write the outcome is unknown.
    Transient,
    /// Trying again gives the same: no permission, bad configuration.
    Permanent,
    /// Another writer was first. Trying again on a fresh state may succeed.
    Conflict,
    /// This one event or state can never be read or written: undecodable, too large.
    Poison,
    /// A secondary unique index refuses the state: a fault of the data, not a lost race (spec: P32).
    Unique,
}

/// An error of a store. Made by the constructor that says what it means, from its source.
///
/// Cheap to clone, since a failure is shown in several places: returned, logged, listed.
#[derive(Debug, Clone)]
pub struct StoreError {
    kind: ErrorKind,
    source: Arc<dyn StdError + Send + Sync>,
}

impl StoreError {
    /// An error of this kind.
    pub fn new(kind: ErrorKind, source: impl Into<Source>) -> Self {
        Self { kind, source: source.into().into() }
    }

    /// It may pass by itself; a retry strategy tries again.
    pub fn transient(source: impl Into<Source>) -> Self {
        Self::new(ErrorKind::Transient, source)
    }

    /// Trying again gives the same.
    pub fn permanent(source: impl Into<Source>) -> Self {
        Self::new(ErrorKind::Permanent, source)
    }

    /// Another writer was first; a retry strategy tries again on a fresh state.
    pub fn conflict(source: impl Into<Source>) -> Self {
        Self::new(ErrorKind::Conflict, source)
    }

    /// This one event or state can never be read or written.
    pub fn poison(source: impl Into<Source>) -> Self {
        Self::new(ErrorKind::Poison, source)
    }

    /// A secondary unique index refuses the state.
    pub fn unique(source: impl Into<Source>) -> Self {
        Self::new(ErrorKind::Unique, source)
    }

    /// What the error means.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether doing it again may help: the cause may have passed by then.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        matches!(self.kind, ErrorKind::Transient | ErrorKind::Conflict)
    }

    /// The error it was made from, such as the own type of a store crate.
    #[must_use]
    pub fn get_ref(&self) -> &(dyn StdError + Send + Sync + 'static) {
        &*self.source
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl StdError for StoreError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.source()
    }
}

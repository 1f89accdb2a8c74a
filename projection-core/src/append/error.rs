//! Why events were not appended.

use super::ExpectedVersion;
use crate::{EventRef, StoreError, StreamId};

/// Nothing was appended, and why. Converts into a [`StoreError`].
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// Another writer was first: load the stream again and decide anew.
    #[error("stream `{stream}` has version {actual}, and {expected} was expected: load it again and decide anew")]
    Conflict {
        /// The stream.
        stream: StreamId,
        /// What was expected.
        expected: ExpectedVersion,
        /// Its version: how many events it has.
        actual: u64,
    },
    /// An event's source and id are there already, or twice in what was to be appended (spec: P24). After an error
    /// with an unknown outcome this says that the append had succeeded.
    #[error("event {0} is there already: source and id together must be unique")]
    Duplicate(EventRef),
    /// An event that cannot be stored.
    #[error("event {event} cannot be stored: {cause}")]
    Unstorable {
        /// The event.
        event: EventRef,
        /// What is wrong with it.
        cause: String,
    },
    /// The store could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<AppendError> for StoreError {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::Conflict { .. } => Self::conflict(error),
            AppendError::Duplicate(_) => Self::permanent(error),
            AppendError::Unstorable { .. } => Self::poison(error),
            AppendError::Store(error) => error,
        }
    }
}

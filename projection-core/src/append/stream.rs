//! What is appended to one stream, and what the stream must be like.

use std::fmt;

use super::NewEvent;
use crate::StreamId;

/// The version that a stream must have for events to be appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedVersion {
    /// Whatever it is.
    Any,
    /// None: the stream has no events.
    NoStream,
    /// This one: the stream has so many events.
    Exact(u64),
}

impl ExpectedVersion {
    /// Whether a stream of this version is as expected.
    #[must_use]
    pub fn accepts(self, version: u64) -> bool {
        match self {
            Self::Any => true,
            Self::NoStream => version == 0,
            Self::Exact(expected) => version == expected,
        }
    }
}

impl fmt::Display for ExpectedVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any version"),
            Self::NoStream => f.write_str("no stream"),
            Self::Exact(version) => write!(f, "version {version}"),
        }
    }
}

/// Events for one stream.
#[derive(Debug, Clone)]
pub struct StreamAppend {
    /// The stream.
    pub stream: StreamId,
    /// What it must be like.
    pub expected: ExpectedVersion,
    /// What is appended, in this order.
    pub events: Vec<NewEvent>,
}

impl StreamAppend {
    /// `events` for `stream`.
    pub fn new(
        stream: impl Into<StreamId>,
        expected: ExpectedVersion,
        events: impl IntoIterator<Item = NewEvent>,
    ) -> Self {
        Self { stream: stream.into(), expected, events: events.into_iter().collect() }
    }
}

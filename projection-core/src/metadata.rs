//! What is known of a recorded event besides its data.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::Position;

/// The id of an event stream, such as an aggregate's id. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StreamId(Arc<str>);

impl StreamId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: Into<Arc<str>>> From<T> for StreamId {
    fn from(value: T) -> Self {
        Self(value.into())
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What makes an event the same event wherever it is seen: its source and its id in that source.
///
/// The id alone does not (spec: P24).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EventRef {
    /// The CloudEvents `source`: the system in which `id` is unique.
    pub source: Arc<str>,
    /// The CloudEvents `id`.
    pub id: Arc<str>,
}

impl EventRef {
    /// The event `id` of `source`.
    pub fn new(source: impl Into<Arc<str>>, id: impl Into<Arc<str>>) -> Self {
        Self { source: source.into(), id: id.into() }
    }
}

impl fmt::Display for EventRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.id, self.source)
    }
}

/// What is known of a recorded event besides its data. A handler that wants it has a parameter
/// `meta: &EventMetadata`.
#[derive(Debug, Clone, PartialEq)]
pub struct EventMetadata {
    position: Position,
    event: EventRef,
    name: Arc<str>,
    stream: StreamId,
    stream_version: u64,
    time: Option<OffsetDateTime>,
}

impl EventMetadata {
    /// The metadata of the event called `name` that stands at `position`.
    pub fn new(
        position: Position,
        event: EventRef,
        name: impl Into<Arc<str>>,
        stream: impl Into<StreamId>,
    ) -> Self {
        Self { position, event, name: name.into(), stream: stream.into(), stream_version: 0, time: None }
    }

    /// Sets the event's place in its stream; the first event of a stream has version 1.
    #[must_use]
    pub fn with_stream_version(mut self, version: u64) -> Self {
        self.stream_version = version;
        self
    }

    /// Sets when the event happened.
    #[must_use]
    pub fn with_time(mut self, time: OffsetDateTime) -> Self {
        self.time = Some(time);
        self
    }

    /// Where the event stands in its store's order.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    /// Source and id: what makes this event the same event wherever it is seen.
    #[must_use]
    pub fn event(&self) -> &EventRef {
        &self.event
    }

    /// The event's id, unique in its [`source`](Self::source).
    #[must_use]
    pub fn id(&self) -> &str {
        &self.event.id
    }

    /// The system the event comes from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.event.source
    }

    /// The name the event is stored under (the CloudEvents `type`); may be an alias.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The stream the event belongs to.
    #[must_use]
    pub fn stream_id(&self) -> &StreamId {
        &self.stream
    }

    /// The event's place in its stream, from 1; 0 where the store does not say.
    #[must_use]
    pub fn stream_version(&self) -> u64 {
        self.stream_version
    }

    /// When the event happened, where the store says.
    #[must_use]
    pub fn time(&self) -> Option<OffsetDateTime> {
        self.time
    }
}

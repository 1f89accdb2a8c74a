//! Recording events: several at once, in one stream or in several, if the streams are as expected.
//!
//! ```
//! # use projection_core::{Event, append::{AppendEvents as _, AppendError, ExpectedVersion, NewEvent}, memory::InMemoryEventStore};
//! # use serde::{Deserialize, Serialize};
//! #[derive(Debug, Serialize, Deserialize, Event)]
//! #[event(name = "Deposited")]
//! struct Deposited { cents: i64 }
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), AppendError> {
//! let events = InMemoryEventStore::new();
//! let account = "account-1".into();
//!
//! let stream = events.load::<Deposited>(&account).await?;
//! let deposit = NewEvent::new(&Deposited { cents: 5 })?;
//! // Refused with `AppendError::Conflict` if somebody has appended since.
//! let appended = events.append(account, ExpectedVersion::Exact(stream.version), [deposit]).await?;
//! assert_eq!(appended.stream_version(), 1);
//! # Ok(()) }
//! ```

mod appended;
mod error;
mod load;
mod new_event;
mod stream;

use async_trait::async_trait;

pub use self::{
    appended::{AppendToken, Appended, InvalidToken},
    error::AppendError,
    load::LoadedStream,
    new_event::NewEvent,
    stream::{ExpectedVersion, StreamAppend},
};
use crate::{EventSet, EventStore, StoreError, StreamId};

/// An event store that events are appended to.
///
/// The order of positions agrees with the order inside each stream, and [`mark`](EventStore::mark) never passes an
/// event that may still commit below it (spec: H2).
#[async_trait]
pub trait AppendEvents: EventStore {
    /// Appends to streams, in this order: everything or nothing. Durable when it returns, and then seen by
    /// [`read_stream`](Self::read_stream); [`mark`](EventStore::mark) covers it as soon as every append that was begun
    /// before it is over.
    ///
    /// # Errors
    ///
    /// When a stream does not have the expected version, when an event's source and id are there already, when an event
    /// cannot be stored, or when the store cannot be written. After a transient error the outcome is unknown: appending
    /// the same events again, with the same ids, settles it.
    async fn append_all(&self, appends: Vec<StreamAppend>) -> Result<Appended, AppendError>;

    /// Reads events of one stream, in order: those after version `after`, `limit` at most. An empty page says that
    /// there are no more. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn read_stream(&self, stream: &StreamId, after: u64, limit: usize) -> Result<Self::Page, StoreError>;

    /// Appends to one stream, as [`append_all`](Self::append_all) does.
    ///
    /// # Errors
    ///
    /// As of [`append_all`](Self::append_all).
    async fn append(
        &self,
        stream: impl Into<StreamId> + Send,
        expected: ExpectedVersion,
        events: impl IntoIterator<Item = NewEvent> + Send,
    ) -> Result<Appended, AppendError>
    where
        Self: Sized,
    {
        self.append_all(vec![StreamAppend::new(stream, expected, events)]).await
    }

    /// Loads a stream, decoded. Events that `E` does not name are passed over, and count in the version. One round trip
    /// for each 1000 events, and one more.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or an event that `E` names cannot be decoded; then of the kind
    /// [`Poison`](crate::ErrorKind::Poison).
    async fn load<E: EventSet>(&self, stream: &StreamId) -> Result<LoadedStream<E>, StoreError>
    where
        Self: Sized,
    {
        load::load(self, stream).await
    }
}

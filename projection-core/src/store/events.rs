//! Reading events: pages in position order, up to a mark.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use time::OffsetDateTime;

use crate::{EventMetadata, EventRef, Filter, Position, StoreError};

/// The name of one order of positions. A stored instance carries one position for each source it was fed from
/// (spec: B11), so two stores that feed one view need different names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceName(Arc<str>);

/// A source name that a database could not use as the name of a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} cannot name a source of events: use 1 to 64 ASCII letters, digits, `-` or `_`")]
pub struct InvalidSourceName(String);

impl SourceName {
    /// A name of 1 to 64 ASCII letters, digits, `-` or `_`.
    ///
    /// # Errors
    ///
    /// For any other name.
    pub fn new(name: &str) -> Result<Self, InvalidSourceName> {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if (1..=64).contains(&name.len()) && name.chars().all(fits) {
            Ok(Self(name.into()))
        } else {
            Err(InvalidSourceName(name.to_owned()))
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for SourceName {
    /// `events`.
    fn default() -> Self {
        Self("events".into())
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which part of a store's order is read: after one position, up to and including another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Events at or before it are not read.
    pub after: Position,
    /// Events past it are not read. Never past the store's mark.
    pub up_to: Position,
}

/// A history of events, read by position.
///
/// The store hands out its own pages, in its native bytes; an event is decoded straight into the handler's type.
#[async_trait]
pub trait EventStore: Send + Sync + 'static {
    /// The events of one read.
    type Page: EventPage;

    /// The name of this store's order of positions.
    fn source(&self) -> SourceName;

    /// The position through which every event has committed, or can never commit: it is safe to read up to it.
    /// [`Position::START`] for an empty store. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn mark(&self) -> Result<Position, StoreError>;

    /// Reads the events in `window` that pass `filter`, in position order, `limit` at most. One round trip.
    ///
    /// A page may hold fewer than `limit` events, for instance to bound its bytes, also when the window has more:
    /// [`EventPage::covers`] says how far it goes.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or holds an event without a position, name or id.
    async fn read(&self, window: Window, filter: &Filter, limit: usize) -> Result<Self::Page, StoreError>;

    /// Where each of `events` stands, in the order asked; `None` for one the store does not hold. One round trip.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn locate(&self, events: &[EventRef]) -> Result<Vec<Option<Position>>, StoreError>;

    /// The position before the first event, in position order, that happened at `time` or later; the mark where there
    /// is none. Asked once in the life of a view that [starts at a time](crate::Start::At). One round trip, and a scan
    /// where no index over the time helps.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or knows no times, which is what a store says that does not override it.
    async fn before(&self, time: OffsetDateTime) -> Result<Position, StoreError> {
        Err(StoreError::permanent(format!(
            "this event store cannot say which event was the first at {time} or later"
        )))
    }

    /// What holds the mark back, if anything does, for a person to read: which append has taken a position and has not
    /// ended yet (spec: H5).
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    async fn held_by(&self) -> Result<Option<String>, StoreError> {
        Ok(None)
    }

    /// Something that tells when events may have been appended, so that a live view need not wait until the store is
    /// asked again; `None` where there is nothing of the kind. It only wakes: what is applied is read by position.
    ///
    /// # Errors
    ///
    /// When it cannot be had now; the store is asked at intervals until it can.
    async fn wake_up(&self) -> Result<Option<Box<dyn WakeUp>>, StoreError> {
        Ok(None)
    }
}

/// Tells when events may have been appended.
#[async_trait]
pub trait WakeUp: Send {
    /// Resolves once something may have been appended since it was opened or last resolved. May be dropped and called
    /// again.
    ///
    /// # Errors
    ///
    /// When it is broken: it is opened anew, and nothing is lost, since it only wakes.
    async fn woken(&mut self) -> Result<(), StoreError>;

    /// Where events stand that came too late: at or below a mark that was given out, so that readers have passed them. Each
    /// is told once, after [`woken`](Self::woken) has resolved. A store whose mark keeps what it promises has none.
    fn late(&mut self) -> Vec<Position> {
        Vec::new()
    }

    /// Whether it tells of the appends of every process. Where not, the store is asked as often as without it.
    fn sees_all(&self) -> bool {
        true
    }
}

/// The events of one read, in position order.
pub trait EventPage: Send + Sync + 'static {
    /// One event of the page, in the store's bytes.
    type Raw<'a>: RawEvent;

    /// The events, in position order.
    fn events(&self) -> impl Iterator<Item = Self::Raw<'_>> + Send;

    /// Every event that passes the filter, from where the window began to this position, is in the page. The
    /// window's `up_to` where nothing is left in it, else the position of the last event in the page.
    fn covers(&self) -> Position;
}

/// One event in the store's bytes.
pub trait RawEvent {
    /// Where it stands.
    fn position(&self) -> Position;

    /// The name it is stored under.
    fn name(&self) -> &str;

    /// How many bytes it has.
    fn size(&self) -> usize;

    /// What is known of it besides its data.
    fn metadata(&self) -> EventMetadata;

    /// Decodes its data.
    ///
    /// # Errors
    ///
    /// When the data does not fit `E`; of the kind [`Poison`](crate::ErrorKind::Poison).
    fn decode<E: DeserializeOwned>(&self) -> Result<E, StoreError>;
}

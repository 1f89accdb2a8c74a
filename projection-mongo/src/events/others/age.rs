//! How old the events are that are there when a store is opened: what is empty below an old event is closed at once, so
//! that the gaps of a long history cost nothing.
//!
//! Drivers put the time into the `_id` that they make. It is the writer's clock, so it is trusted to a minute only, and
//! only for what is there at the first look.

use std::time::Duration;

use bson::{DateTime, RawBsonRef, doc, oid::ObjectId};
use mongodb::ClientSession;
use projection_core::StoreError;

use super::Head;
use crate::{error::code_of, events::MongoEvents};

/// How far the clock of a writer may be behind the server's.
const SKEW: Duration = Duration::from_secs(60);
/// How long the search for an old event may take.
const LIMIT: Duration = Duration::from_secs(5);
/// The code of a statement that took longer than it may.
const TOO_LONG: i32 = 50;

/// What is known at the first look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OldUpTo {
    /// Whatever is empty below has been open for longer than the horizon.
    Position(i64),
    /// The events do not say.
    Unknown,
}

impl MongoEvents {
    /// The highest position whose event is older than the horizon.
    pub(super) async fn old_up_to(
        &self,
        session: &mut ClientSession,
        head: &Head,
        horizon: Duration,
    ) -> Result<OldUpTo, StoreError> {
        if !head.is_dated {
            return Ok(OldUpTo::Unknown);
        }
        let failed = |error| self.reading.failed(error);
        let hello = self.target.database.run_command(doc! { "hello": 1 }).await.map_err(failed)?;
        let Ok(now) = hello.get_datetime("localTime") else { return Ok(OldUpTo::Unknown) };
        let position = &self.fields().position;
        // Those of other types are not compared.
        let old = doc! { position: { "$gt": 0 }, "_id": { "$lt": first_id_at(*now, horizon + SKEW) } };
        let found = self.collection.find_one(old).sort(doc! { position: -1 }).max_time(LIMIT);
        let found = found.projection(doc! { "_id": 0, position: 1 }).session(session).await;
        match found {
            Ok(Some(event)) => Ok(OldUpTo::Position(self.whole_position(&event)?)),
            // All are young.
            Ok(None) => Ok(OldUpTo::Position(0)),
            Err(error) if code_of(&error) == Some(TOO_LONG) => Ok(OldUpTo::Unknown),
            Err(error) => Err(failed(error)),
        }
    }
}

/// No id that a driver made `before` this time or earlier is above it.
fn first_id_at(now: DateTime, before: Duration) -> ObjectId {
    let before = i64::try_from(before.as_secs()).unwrap_or(i64::MAX);
    let seconds = (now.timestamp_millis() / 1000).saturating_sub(before).clamp(0, u32::MAX.into());
    let mut bytes = [0; 12];
    bytes[..4].copy_from_slice(&u32::try_from(seconds).unwrap_or(0).to_be_bytes());
    ObjectId::from_bytes(bytes)
}

/// Whether an `_id` says when it was made.
pub(super) fn is_dated(id: Option<RawBsonRef<'_>>) -> bool {
    matches!(id, Some(RawBsonRef::ObjectId(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_its_age_to_the_second() {
        let now = DateTime::from_millis(1_800_000_000_999);
        let bound = first_id_at(now, Duration::from_secs(70));
        assert_eq!(bound.timestamp().timestamp_millis(), 1_799_999_930_000);
        assert!(first_id_at(DateTime::from_millis(5_000), Duration::from_secs(70)).bytes() == [0; 12]);
    }
}

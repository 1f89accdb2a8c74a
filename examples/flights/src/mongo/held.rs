//! Which history a database holds: one document says so, and that the database is the example's.

use mongodb::{
    Collection,
    bson::doc,
    options::{Acknowledgment, CollectionOptions, WriteConcern},
};
use serde::{Deserialize, Serialize};

use super::{DatabaseError, FlightsDatabase, HISTORY};
use crate::history::FlightHistory;

/// Which history a database holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldHistory {
    #[serde(rename = "_id")]
    id: String,
    fingerprint: String,
    /// How many events it has.
    pub events: u64,
    /// How many rows of its file said no flight.
    pub malformed: u64,
    /// Whether all of its events are there.
    pub complete: bool,
}

impl HeldHistory {
    const ID: &'static str = "flights";

    pub(super) fn of(history: &FlightHistory, malformed: u64) -> Self {
        Self {
            id: Self::ID.to_owned(),
            fingerprint: history.fingerprint().to_string(),
            events: history.len(),
            malformed,
            complete: false,
        }
    }

    /// Whether it is made from the same rows; of how many that were malformed does not matter.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (&self.fingerprint, self.events) == (&other.fingerprint, other.events)
    }
}

impl FlightsDatabase {
    /// Which history is there, whole or in part.
    ///
    /// # Errors
    ///
    /// When something is there that is not the example's, or the server cannot be read.
    pub async fn held(&self) -> Result<Option<HeldHistory>, DatabaseError> {
        let held = self.history().find_one(doc! { "_id": HeldHistory::ID }).await;
        let held = held.map_err(DatabaseError::driver("looking for a history"))?;
        if held.is_none() {
            let collections = self.collections().await?;
            if !collections.is_empty() {
                return Err(DatabaseError::NotOurs { database: self.database.name().to_owned(), collections });
            }
        }
        Ok(held)
    }

    /// The history that is there whole.
    ///
    /// # Errors
    ///
    /// When there is none, or something else.
    pub async fn held_whole(&self) -> Result<HeldHistory, DatabaseError> {
        let held = self.held().await?.filter(|held| held.complete);
        held.ok_or_else(|| DatabaseError::NoHistory { database: self.database.name().to_owned() })
    }

    pub(super) async fn hold(&self, held: &HeldHistory) -> Result<(), DatabaseError> {
        let stored = self.history().replace_one(doc! { "_id": &held.id }, held).upsert(true).await;
        stored.map(drop).map_err(DatabaseError::driver("noting the history"))
    }

    fn history(&self) -> Collection<HeldHistory> {
        let majority = WriteConcern::builder().w(Acknowledgment::Majority).build();
        let options = CollectionOptions::builder().write_concern(majority).build();
        self.database.collection_with_options(HISTORY, options)
    }
}

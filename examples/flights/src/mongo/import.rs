//! Puts the events of a history into the database, once.

use mongodb::bson::RawDocumentBuf;
use projection_core::StoreError;
use projection_mongo::ImportedEvent;

use super::{DatabaseError, EVENTS, FlightsDatabase, HeldHistory};
use crate::history::{FlightHistory, Recorded};

impl FlightsDatabase {
    /// Imports a history, if it is not there already; says whether it did. An import that was cut short is begun
    /// again. `imported` is called for each event.
    ///
    /// # Errors
    ///
    /// When another history is there, something that is not the example's, or the server does not do it.
    pub async fn import(
        &self,
        history: &FlightHistory,
        malformed: u64,
        imported: impl Fn() + Send + Sync,
    ) -> Result<bool, DatabaseError> {
        let mut ours = HeldHistory::of(history, malformed);
        match self.held().await? {
            Some(held) if !held.is_same(&ours) => {
                return Err(DatabaseError::OtherHistory { database: self.database.name().to_owned(), held });
            }
            Some(held) if held.complete => return Ok(false),
            _ => {}
        }
        self.hold(&ours).await?;
        let leftovers = self.database.collection::<RawDocumentBuf>(EVENTS);
        leftovers.drop().await.map_err(DatabaseError::driver("dropping what was imported in part"))?;

        let events = self.events().await?;
        let mut failed = None;
        let made = history.events().map_while(|recorded| {
            imported();
            document(&recorded).map_err(|error| failed = Some(error)).ok()
        });
        events.import(made).await?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        ours.complete = true;
        self.hold(&ours).await?;
        Ok(true)
    }
}

fn document(Recorded { metadata, event }: &Recorded) -> Result<ImportedEvent, StoreError> {
    let document = ImportedEvent::named(metadata.name(), metadata.position(), metadata.stream_id().clone(), event)?
        .with_id(metadata.id())
        .with_source(metadata.source())
        .with_stream_version(metadata.stream_version());
    Ok(match metadata.time() {
        Some(time) => document.with_time(time),
        None => document,
    })
}

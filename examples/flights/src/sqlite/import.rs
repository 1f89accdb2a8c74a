//! Puts the events of a history into the file: many in one transaction, so that an import that ended early goes on
//! after the last of them.

use projection_core::{
    StoreError,
    append::{AppendEvents as _, ExpectedVersion, StreamAppend},
};
use tokio_util::sync::CancellationToken;

use super::{FileError, FlightsFile, HeldHistory};
use crate::history::{FlightHistory, Recorded};

/// Events of one transaction. Its sync is then little beside them.
const EVENTS: usize = 10_000;

/// What became of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imported {
    /// The history was there already.
    Before,
    /// It is there now, whole.
    Now {
        /// How many of its events an earlier import had left.
        after: u64,
    },
    /// It was told to stop, after so many events.
    Stopped {
        /// How many are there.
        after: u64,
    },
}

impl FlightsFile {
    /// Imports a history, if it is not there already. `progress` is told how many events are there.
    ///
    /// # Errors
    ///
    /// When another history is there, or the file cannot be written.
    pub async fn import(
        &self,
        history: &FlightHistory,
        malformed: u64,
        stop: &CancellationToken,
        progress: impl Fn(u64),
    ) -> Result<Imported, FileError> {
        let ours = HeldHistory::of(history, malformed);
        let after = match self.held().await? {
            Some(held) if !held.is_same(&ours) => {
                return Err(FileError::OtherHistory { path: self.path.clone(), held });
            }
            Some(held) if held.is_whole() => return Ok(Imported::Before),
            Some(held) => held.imported,
            None => {
                self.hold(&ours).await?;
                0
            }
        };
        let mut there = after;
        let mut events = history.events().skip(usize::try_from(after).unwrap_or(usize::MAX));
        let mut next = take(&mut events)?;
        while !next.is_empty() {
            progress(there);
            if stop.is_cancelled() {
                return Ok(Imported::Stopped { after: there });
            }
            there += next.len() as u64;
            let store = self.events();
            let writing = tokio::spawn(async move { store.append_all(next).await });
            // The next ones are made while these are written.
            next = take(&mut events)?;
            writing.await.map_err(StoreError::permanent)??;
        }
        Ok(Imported::Now { after })
    }
}

fn take(events: &mut impl Iterator<Item = Recorded>) -> Result<Vec<StreamAppend>, StoreError> {
    events.take(EVENTS).map(|recorded| append(&recorded)).collect()
}

/// The stream's version says that an event is there once, whatever was imported before.
fn append(recorded: &Recorded) -> Result<StreamAppend, StoreError> {
    let metadata = &recorded.metadata;
    let before = ExpectedVersion::Exact(metadata.stream_version().saturating_sub(1));
    Ok(StreamAppend::new(metadata.stream_id().clone(), before, [recorded.to_new()?]))
}

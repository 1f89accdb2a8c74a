//! Where events are put: after the last of their streams, if these are as expected.

use std::collections::HashMap;

use bson::doc;
use mongodb::ClientSession;
use projection_core::{
    Position, StoreError, StreamId,
    append::{AppendError, Appended},
};

use super::batch::Batch;
use crate::events::{MongoEvents, parse};

/// The places of a batch in its streams.
#[derive(Debug)]
pub(super) struct Placed {
    /// For each part of the batch, the version of its stream before it.
    pub(super) before: Vec<i64>,
    versions: Vec<(StreamId, u64)>,
    /// The positions must be above this one: the last of a stream of the batch.
    pub(super) above: i64,
}

impl Placed {
    /// What was appended, at these positions.
    pub(super) fn appended(
        self,
        store: &MongoEvents,
        positions: Option<(i64, i64)>,
    ) -> Result<Appended, AppendError> {
        let position = |position: i64| Position::try_from(position).map_err(StoreError::permanent);
        let (after, last) = positions.map_or((0, 0), |(first, last)| (first - 1, last));
        let source = store.options.source_name().clone();
        Ok(Appended::new(source, position(after)?, position(last)?, self.versions))
    }
}

impl MongoEvents {
    /// Reads where the streams of a batch stand, and checks that they are as expected. One round trip a stream.
    pub(super) async fn place(&self, session: &mut ClientSession, batch: &Batch) -> Result<Placed, AppendError> {
        let mut heads: HashMap<&StreamId, i64> = HashMap::new();
        let mut placed = Placed { before: Vec::new(), versions: Vec::new(), above: 0 };
        for part in &batch.streams {
            let version = match heads.get(&part.stream) {
                Some(version) => *version,
                None => {
                    let (version, position) = self.head(session, &part.stream).await?;
                    placed.above = placed.above.max(position);
                    version
                }
            };
            if !part.expected.accepts(version.unsigned_abs()) {
                let (stream, expected, actual) = (part.stream.clone(), part.expected, version.unsigned_abs());
                return Err(AppendError::Conflict { stream, expected, actual });
            }
            let count = i64::try_from(part.events.len()).unwrap_or(i64::MAX);
            let reached = version.saturating_add(count);
            placed.before.push(version);
            placed.versions.push((part.stream.clone(), reached.unsigned_abs()));
            heads.insert(&part.stream, reached);
        }
        Ok(placed)
    }

    /// The version of a stream, and the position of its last event.
    async fn head(&self, session: &mut ClientSession, stream: &StreamId) -> Result<(i64, i64), StoreError> {
        let fields = self.fields();
        let of = doc! { &fields.stream: stream.as_str(), &fields.stream_version: { "$gt": 0 } };
        let last = self.collection.find_one(of).sort(doc! { &fields.stream_version: -1 });
        let last = last.projection(doc! { &fields.stream_version: 1, &fields.position: 1 }).session(session);
        let Some(last) = last.await.map_err(|error| self.appending.failed(error))? else { return Ok((0, 0)) };
        let position = parse::position_of(&last, fields).map_err(|error| self.bad_event(&error))?;
        let version = parse::version_of(&last, fields).map_err(|error| self.bad_event(&error))?;
        Ok((version, position.as_i64()))
    }
}

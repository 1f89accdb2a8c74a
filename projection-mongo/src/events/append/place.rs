//! Where events are put: after the last of their streams, if these are as expected.

use std::collections::{BTreeSet, HashMap};

use bson::{RawDocument, RawDocumentBuf, doc};
use futures::TryStreamExt as _;
use mongodb::ClientSession;
use projection_core::{
    Position, StoreError, StreamId,
    append::{AppendError, Appended},
};

use super::batch::Batch;
use crate::events::{MongoEvents, parse, positions::Reserved};

/// How many streams one query asks for.
const STREAMS: usize = 100;

/// The places of some appends, one after another. One that does not find what it expects has none.
#[derive(Debug)]
pub(super) struct Plan<'b> {
    pub(super) places: Vec<Result<Placed<'b>, AppendError>>,
    /// The positions must be above this one: the last of all these streams.
    pub(super) above: i64,
    /// How many events have places.
    pub(super) count: i64,
}

/// The places of one append.
#[derive(Debug)]
pub(super) struct Placed<'b> {
    pub(super) batch: &'b Batch,
    /// For each part of the batch, the version of its stream before it.
    pub(super) before: Vec<i64>,
    versions: Vec<(StreamId, u64)>,
    /// How many positions of the plan stand before its own.
    offset: i64,
}

/// The version of a stream, and the position of its last event.
#[derive(Debug, Clone, Copy, Default)]
struct Head {
    version: i64,
    position: i64,
}

impl Placed<'_> {
    fn appended(self, store: &MongoEvents, reserved: Option<&Reserved>) -> Result<Appended, AppendError> {
        let position = |position: i64| Position::try_from(position).map_err(StoreError::permanent);
        let (after, last) = match reserved {
            Some(reserved) if self.batch.count() > 0 => {
                let after = reserved.first + self.offset - 1;
                (after, after + self.batch.count())
            }
            _ => (0, 0),
        };
        let source = store.options.source_name().clone();
        Ok(Appended::new(source, position(after)?, position(last)?, self.versions))
    }
}

impl<'b> Plan<'b> {
    /// The appends that have places.
    pub(super) fn placed(&self) -> impl Iterator<Item = &Placed<'b>> {
        self.places.iter().flatten()
    }

    /// What became of each append, once all is stored.
    pub(super) fn results(
        self,
        store: &MongoEvents,
        reserved: Option<&Reserved>,
    ) -> Vec<Result<Appended, AppendError>> {
        self.places.into_iter().map(|placed| placed.and_then(|placed| placed.appended(store, reserved))).collect()
    }
}

impl MongoEvents {
    /// Reads where the streams of these appends stand, and gives each append its places: after those before it. One round
    /// trip for each hundred streams.
    pub(super) async fn place<'b>(
        &self,
        session: &mut ClientSession,
        batches: &'b [Batch],
    ) -> Result<Plan<'b>, StoreError> {
        let streams: BTreeSet<_> =
            batches.iter().flat_map(|batch| &batch.streams).map(|part| &part.stream).collect();
        let streams: Vec<_> = streams.into_iter().collect();
        let mut versions: HashMap<&StreamId, i64> = HashMap::new();
        let mut plan = Plan { places: Vec::new(), above: 0, count: 0 };
        for some in streams.chunks(STREAMS) {
            for (stream, head) in some.iter().zip(self.heads(session, some).await?) {
                versions.insert(stream, head.version);
                plan.above = plan.above.max(head.position);
            }
        }
        for batch in batches {
            let placed = place_one(batch, &mut versions, plan.count);
            plan.count += placed.as_ref().map_or(0, |placed| placed.batch.count());
            plan.places.push(placed);
        }
        Ok(plan)
    }

    async fn heads(&self, session: &mut ClientSession, streams: &[&StreamId]) -> Result<Vec<Head>, StoreError> {
        let mut heads = vec![Head::default(); streams.len()];
        let fields = self.fields();
        if let [stream] = streams {
            let of = doc! { &fields.stream: stream.as_str(), &fields.stream_version: { "$gt": 0 } };
            let shown = doc! { &fields.stream_version: 1, &fields.position: 1 };
            let last = self.collection.find_one(of).sort(doc! { &fields.stream_version: -1 });
            let last = last.projection(shown).session(session);
            if let Some(last) = last.await.map_err(|error| self.appending.failed(error))? {
                heads[0] = self.head(&last)?;
            }
            return Ok(heads);
        }
        // Along the index from the end of each stream: what is skipped is not read.
        let names: Vec<_> = streams.iter().map(|stream| stream.as_str()).collect();
        let of = doc! { &fields.stream: { "$in": names }, &fields.stream_version: { "$gt": 0 } };
        let first = |field: &str| doc! { "$first": format!("${field}") };
        let pipeline = [
            doc! { "$match": of },
            doc! { "$sort": { &fields.stream: -1, &fields.stream_version: -1 } },
            doc! { "$group": {
                "_id": format!("${}", fields.stream),
                &fields.stream_version: first(&fields.stream_version),
                &fields.position: first(&fields.position),
            } },
        ];
        let failed = |error| self.appending.failed(error);
        let found = self.collection.aggregate(pipeline).with_type::<RawDocumentBuf>().session(&mut *session).await;
        let mut found = found.map_err(failed)?;
        let mut found = found.stream(session);
        while let Some(last) = found.try_next().await.map_err(failed)? {
            let stream = last.get_str("_id").unwrap_or_default();
            if let Some(place) = streams.iter().position(|asked| asked.as_str() == stream) {
                heads[place] = self.head(&last)?;
            }
        }
        Ok(heads)
    }

    fn head(&self, last: &RawDocument) -> Result<Head, StoreError> {
        let fields = self.fields();
        let position = parse::position_of(last, fields).map_err(|error| self.bad_event(&error))?;
        let version = parse::version_of(last, fields).map_err(|error| self.bad_event(&error))?;
        Ok(Head { version, position: position.as_i64() })
    }
}

/// Places one append behind those that changed `versions` before. Changes nothing if it does not find what it expects.
fn place_one<'b>(
    batch: &'b Batch,
    versions: &mut HashMap<&'b StreamId, i64>,
    offset: i64,
) -> Result<Placed<'b>, AppendError> {
    let mut placed = Placed { batch, before: Vec::new(), versions: Vec::new(), offset };
    let mut reached: HashMap<&StreamId, i64> = HashMap::new();
    for part in &batch.streams {
        let known = reached.get(&part.stream).or_else(|| versions.get(&part.stream));
        let version = known.copied().unwrap_or_default();
        if !part.expected.accepts(version.unsigned_abs()) {
            let (stream, expected, actual) = (part.stream.clone(), part.expected, version.unsigned_abs());
            return Err(AppendError::Conflict { stream, expected, actual });
        }
        let now = version.saturating_add(i64::try_from(part.events.len()).unwrap_or(i64::MAX));
        placed.before.push(version);
        placed.versions.push((part.stream.clone(), now.unsigned_abs()));
        reached.insert(&part.stream, now);
    }
    versions.extend(reached);
    Ok(placed)
}

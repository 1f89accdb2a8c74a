//! What is to be appended, checked and encoded before anything is reserved.

use std::sync::Arc;

use bson::{RawDocument, raw::CStr};
use projection_core::{
    EventRef, StreamId,
    append::{AppendError, ExpectedVersion, NewEvent, StreamAppend},
};
use time::OffsetDateTime;

use super::json;
use crate::events::{EventFields, MongoEvents, document::EventDocument, milliseconds};

/// How many bytes a document has at most, and how many of them anything but texts and data can need.
const MAX_DOCUMENT: usize = 16 << 20;
const OVERHEAD: usize = 512;

/// Events for streams, in their order.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) streams: Vec<StreamBatch>,
    count: i64,
    bytes: usize,
}

#[derive(Debug)]
pub(super) struct StreamBatch {
    pub(super) stream: StreamId,
    pub(super) expected: ExpectedVersion,
    pub(super) events: Vec<Encoded>,
}

/// An event whose data is encoded.
#[derive(Debug)]
pub(super) struct Encoded {
    pub(super) event: EventRef,
    name: Arc<str>,
    time: i64,
    /// A document with one field.
    data: Vec<u8>,
}

impl Batch {
    pub(super) fn encode(store: &MongoEvents, appends: Vec<StreamAppend>) -> Result<Self, AppendError> {
        let now = OffsetDateTime::now_utc();
        let stream = |StreamAppend { stream, expected, events }: StreamAppend| {
            let events = events.into_iter().map(|event| Encoded::new(store, &stream, &event, now));
            let events = events.collect::<Result<_, _>>()?;
            Ok(StreamBatch { stream, expected, events })
        };
        let streams = appends.into_iter().map(stream).collect::<Result<Vec<_>, AppendError>>()?;
        let events = || streams.iter().flat_map(|stream: &StreamBatch| &stream.events);
        let count = i64::try_from(events().count()).unwrap_or(i64::MAX);
        let bytes = events().map(|event| event.data.len()).sum();
        Ok(Self { streams, count, bytes })
    }

    /// How many events there are.
    pub(super) fn count(&self) -> i64 {
        self.count
    }

    /// How many bytes of data they have.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn events(&self) -> impl Iterator<Item = &EventRef> {
        self.streams.iter().flat_map(|stream| &stream.events).map(|encoded| &encoded.event)
    }
}

impl Encoded {
    fn new(
        store: &MongoEvents,
        stream: &StreamId,
        new: &NewEvent,
        now: OffsetDateTime,
    ) -> Result<Self, AppendError> {
        let event = new.event(store.options.source_name());
        let unstorable = |cause: String| AppendError::Unstorable { event: event.clone(), cause };
        let data = json::to_bson(new.data()).map_err(|error| unstorable(format!("its data: {error}")))?;
        if store.fields().data.is_none() {
            check_whole(&data, store.fields()).map_err(unstorable)?;
        }
        let texts = event.id.len() + event.source.len() + new.name().len() + stream.as_str().len();
        let size = data.len() + texts + OVERHEAD;
        if size > MAX_DOCUMENT {
            return Err(unstorable(format!("it has {size} bytes, and a document has {MAX_DOCUMENT} at most")));
        }
        let time = milliseconds(new.time().unwrap_or(now));
        Ok(Self { name: Arc::clone(new.name()), time, data, event })
    }

    /// The document of the event at its places.
    pub(super) fn document(
        &self,
        fields: &EventFields,
        stream: &StreamId,
        stream_version: i64,
        position: i64,
    ) -> bson::error::Result<Vec<u8>> {
        let document = EventDocument {
            id: &self.event.id,
            source: &self.event.source,
            name: &self.name,
            time: Some(self.time),
            content_type: Some("application/json"),
            stream: stream.as_str(),
            stream_version,
            position,
            data: &self.data,
        };
        document.encode(fields)
    }
}

/// Data whose fields stand beside the attributes must be a document, without fields of their names.
fn check_whole(data: &[u8], fields: &EventFields) -> Result<(), String> {
    let data = RawDocument::from_bytes(data).and_then(|holder| Ok(holder.get_document("data")?.to_owned()));
    let data = data.map_err(|_| "its data is no JSON object, and its fields are to stand beside the attributes")?;
    let taken = data.iter_elements().flatten().map(|element| CStr::as_str(element.key()).to_owned());
    match taken.into_iter().find(|field| fields.is_attribute(field)) {
        Some(field) => Err(format!("its data has a field `{field}`, which is an attribute's")),
        None => Ok(()),
    }
}

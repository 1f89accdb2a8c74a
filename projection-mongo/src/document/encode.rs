//! Writes the document of an instance, with serde straight into its bytes.

use projection_core::{
    EventRef, KeyRef, Position,
    store::{RESERVED_FIELD, RefusedState},
};
use serde::Serialize;

use super::{EPOCH, Format, MAX_DOCUMENT, state};
use crate::{id, writer, writer::Writer};

/// What is stored beside the state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp<'a> {
    pub(crate) position: Position,
    pub(crate) offered: &'a [EventRef],
    /// The writer's epoch, where the collection checks it.
    pub(crate) epoch: Option<i64>,
}

/// Writes documents; keeps its buffer between them.
#[derive(Debug)]
pub(crate) struct Encoder<'a> {
    format: &'a Format,
    buffer: Vec<u8>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(format: &'a Format) -> Self {
        Self { format, buffer: Vec::new() }
    }

    /// The document of an instance. Without a stamp it has no position, and a guarded repository will not take it.
    pub(crate) fn document<S: Serialize>(
        &mut self,
        id: KeyRef<'_>,
        state: &S,
        stamp: Option<Stamp<'_>>,
    ) -> Result<Vec<u8>, RefusedState> {
        state::serialize(id, state, &mut self.buffer)?;
        let written = state::Written::check(id, &self.buffer)?;

        let mut document = Writer::with_capacity(self.buffer.len() + 96);
        id::write(&mut document, id);
        match (written.map, &written.own_id) {
            (None, _) => document.elements(written.whole),
            (Some(map), None) => document.elements(map),
            (Some(map), Some(_)) => {
                for element in writer::elements(map).flatten().filter(|element| element.name() != "_id") {
                    document.element(element.name(), map, &element);
                }
            }
        }
        if stamp.is_some() || written.own_id.is_some() || written.map.is_none() {
            let ours = document.open_document(RESERVED_FIELD);
            if let Some(stamp) = stamp {
                self.format.write(&mut document, stamp);
            }
            if let (Some(map), Some(own_id)) = (written.map, &written.own_id) {
                document.element("id", map, own_id);
            }
            if written.map.is_none() {
                document.bool("value", true);
            }
            document.close(ours);
        }

        let document = document.finish();
        if document.len() > MAX_DOCUMENT {
            let (size, limit) = (document.len(), MAX_DOCUMENT);
            return Err(RefusedState::TooLarge { instance: id.to_string(), size, limit });
        }
        Ok(document)
    }

    /// The document of a tombstone.
    pub(crate) fn tombstone(&self, id: KeyRef<'_>, stamp: Stamp<'_>) -> Vec<u8> {
        let mut document = Writer::with_capacity(128);
        id::write(&mut document, id);
        let ours = document.open_document(RESERVED_FIELD);
        self.format.write(&mut document, stamp);
        document.close(ours);
        document.finish()
    }
}

impl Format {
    fn write(&self, document: &mut Writer, stamp: Stamp<'_>) {
        let position = document.open_document("position");
        document.i64(self.source.as_str(), stamp.position.as_i64());
        document.close(position);
        if let Some(version) = self.version {
            document.i64("version", version.into());
        }
        if let Some(epoch) = stamp.epoch {
            document.i64(EPOCH, epoch);
        }
        if !stamp.offered.is_empty() {
            let offered = document.open_array("offered");
            for (place, event) in stamp.offered.iter().enumerate() {
                let mut entry = Writer::with_capacity(64);
                entry.str("source", &event.source);
                entry.str("id", &event.id);
                document.document_at(place, &entry.finish());
            }
            document.close(offered);
        }
    }
}

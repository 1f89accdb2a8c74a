//! An event as it is stored: CloudEvents attributes, its places, its data.

use bson::RawDocument;

use super::EventFields;
use crate::writer::{Writer, elements};

/// What a document of an event is made from.
#[derive(Debug)]
pub(super) struct EventDocument<'a> {
    pub(super) id: &'a str,
    pub(super) source: &'a str,
    pub(super) name: &'a str,
    /// In milliseconds since 1970.
    pub(super) time: Option<i64>,
    /// The CloudEvents `datacontenttype`.
    pub(super) content_type: Option<&'a str>,
    pub(super) stream: &'a str,
    /// 0 is none.
    pub(super) stream_version: i64,
    pub(super) position: i64,
    /// A document with one field, whose value is the data.
    pub(super) data: &'a [u8],
}

impl EventDocument<'_> {
    /// Writes it under these names of fields.
    pub(super) fn encode(&self, fields: &EventFields) -> bson::error::Result<Vec<u8>> {
        let data = RawDocument::from_bytes(self.data)?;
        let mut document = Writer::with_capacity(self.data.len() + 256);
        document.str(&fields.id, self.id);
        document.str(&fields.source, self.source);
        document.str(&fields.name, self.name);
        document.str("specversion", "1.0");
        if let Some(content_type) = self.content_type {
            document.str("datacontenttype", content_type);
        }
        if let Some(milliseconds) = self.time {
            document.date(&fields.time, milliseconds);
        }
        document.str(&fields.stream, self.stream);
        if self.stream_version > 0 {
            document.i64(&fields.stream_version, self.stream_version);
        }
        document.i64(&fields.position, self.position);
        match &fields.data {
            None => document.elements(data.get_document("data")?),
            Some(name) => {
                for element in elements(data) {
                    let element = element?;
                    document.element(name, data, &element);
                }
            }
        }
        Ok(document.finish())
    }
}

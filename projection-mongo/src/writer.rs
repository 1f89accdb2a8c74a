//! Writes BSON in place: a command is built in one buffer, and no value is copied twice.

use std::io::Write as _;

use bson::{
    RawBsonRef, RawDocumentBuf,
    raw::{CStr, RawDocument, RawElement},
    spec::{BinarySubtype, ElementType},
};

/// A BSON document under construction.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

/// A document or array that was opened and is to be closed: where its length stands.
#[derive(Debug)]
#[must_use]
pub(crate) struct Open(usize);

impl Writer {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        let mut writer = Self { bytes: Vec::with_capacity(bytes) };
        writer.bytes.extend_from_slice(&[0; 4]);
        writer
    }

    /// How many bytes are written.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Ends the outermost document.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.close(Open(0));
        self.bytes
    }

    /// Ends the outermost document, for the driver.
    pub(crate) fn finish_document(self) -> bson::error::Result<RawDocumentBuf> {
        RawDocumentBuf::from_bytes(self.finish())
    }

    pub(crate) fn open_document(&mut self, name: &str) -> Open {
        self.open(ElementType::EmbeddedDocument, name)
    }

    pub(crate) fn open_array(&mut self, name: &str) -> Open {
        self.open(ElementType::Array, name)
    }

    fn open(&mut self, kind: ElementType, name: &str) -> Open {
        self.name(kind, name);
        let at = self.bytes.len();
        self.bytes.extend_from_slice(&[0; 4]);
        Open(at)
    }

    pub(crate) fn close(&mut self, Open(at): Open) {
        self.bytes.push(0);
        let length = self.bytes.len() - at;
        self.bytes[at..at + 4].copy_from_slice(&length_bytes(length));
    }

    pub(crate) fn bool(&mut self, name: &str, value: bool) {
        self.name(ElementType::Boolean, name);
        self.bytes.push(value.into());
    }

    pub(crate) fn i32(&mut self, name: &str, value: i32) {
        self.name(ElementType::Int32, name);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn i64(&mut self, name: &str, value: i64) {
        self.name(ElementType::Int64, name);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn f64(&mut self, name: &str, value: f64) {
        self.name(ElementType::Double, name);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn null(&mut self, name: &str) {
        self.name(ElementType::Null, name);
    }

    pub(crate) fn date(&mut self, name: &str, milliseconds: i64) {
        self.name(ElementType::DateTime, name);
        self.bytes.extend_from_slice(&milliseconds.to_le_bytes());
    }

    pub(crate) fn str(&mut self, name: &str, value: &str) {
        self.name(ElementType::String, name);
        self.bytes.extend_from_slice(&length_bytes(value.len() + 1));
        self.bytes.extend_from_slice(value.as_bytes());
        self.bytes.push(0);
    }

    pub(crate) fn binary(&mut self, name: &str, subtype: BinarySubtype, value: &[u8]) {
        self.name(ElementType::Binary, name);
        self.bytes.extend_from_slice(&length_bytes(value.len()));
        self.bytes.push(subtype.into());
        self.bytes.extend_from_slice(value);
    }

    /// A whole document, as it is.
    pub(crate) fn document(&mut self, name: &str, document: &[u8]) {
        self.name(ElementType::EmbeddedDocument, name);
        self.bytes.extend_from_slice(document);
    }

    /// A whole document as the next element of an array.
    pub(crate) fn document_at(&mut self, index: usize, document: &[u8]) {
        self.bytes.push(ElementType::EmbeddedDocument as u8);
        // Writing to a `Vec` cannot fail.
        let _ = write!(self.bytes, "{index}\0");
        self.bytes.extend_from_slice(document);
    }

    /// Every element of a document, as it is.
    pub(crate) fn elements(&mut self, document: &RawDocument) {
        let bytes = document.as_bytes();
        self.bytes.extend_from_slice(&bytes[4..bytes.len() - 1]);
    }

    /// One element of a document, under another name where one is given.
    pub(crate) fn element(&mut self, name: &str, document: &RawDocument, at: &ElementAt<'_>) {
        self.name(at.element.element_type(), name);
        self.bytes.extend_from_slice(&document.as_bytes()[at.value.clone()]);
    }

    fn name(&mut self, kind: ElementType, name: &str) {
        self.bytes.push(kind as u8);
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
    }
}

/// An element of a document, and where its value stands in the document's bytes.
#[derive(Clone)]
pub(crate) struct ElementAt<'a> {
    pub(crate) element: RawElement<'a>,
    pub(crate) value: std::ops::Range<usize>,
}

impl<'a> ElementAt<'a> {
    pub(crate) fn name(&self) -> &'a str {
        CStr::as_str(self.element.key())
    }

    pub(crate) fn value(&self) -> bson::error::Result<RawBsonRef<'a>> {
        self.element.value()
    }
}

/// The elements of a document, each with the place of its value.
pub(crate) fn elements(document: &RawDocument) -> impl Iterator<Item = bson::error::Result<ElementAt<'_>>> {
    let mut at = 4;
    document.iter_elements().map(move |element| {
        let element = element?;
        let start = at + 1 + element.key().len() + 1;
        at = start + element.size();
        Ok(ElementAt { value: start..at, element })
    })
}

fn length_bytes(length: usize) -> [u8; 4] {
    // A document past 2 GiB never gets here: the size of a state is checked before.
    i32::try_from(length).unwrap_or(i32::MAX).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use bson::{Bson, Document, doc};

    use super::*;

    #[test]
    fn what_is_written_is_what_the_bson_crate_reads() {
        let mut writer = Writer::with_capacity(64);
        writer.str("text", "a\0b");
        let inner = writer.open_document("inner");
        writer.i64("i64", -1);
        writer.i32("i32", 7);
        writer.bool("bool", true);
        writer.binary("bytes", BinarySubtype::Generic, b"xyz");
        writer.date("date", 5);
        writer.f64("f64", 0.5);
        writer.null("null");
        writer.close(inner);
        let list = writer.open_array("list");
        writer.document_at(0, &bson::serialize_to_vec(&doc! { "a": 1 }).unwrap());
        writer.document_at(1, &bson::serialize_to_vec(&doc! {}).unwrap());
        writer.close(list);
        let expected = doc! {
            "text": "a\0b",
            "inner": {
                "i64": -1_i64, "i32": 7, "bool": true,
                "bytes": bson::Binary { subtype: BinarySubtype::Generic, bytes: b"xyz".to_vec() },
                "date": bson::DateTime::from_millis(5), "f64": 0.5, "null": Bson::Null,
            },
            "list": [{ "a": 1 }, {}],
        };
        assert_eq!(Document::try_from(writer.finish_document().unwrap()).unwrap(), expected);
    }

    #[test]
    fn elements_are_copied_by_place() {
        let from = bson::serialize_to_raw_document_buf(&doc! { "a": "x", "bc": [1, 2], "d": Bson::Null }).unwrap();
        let mut writer = Writer::with_capacity(64);
        for element in elements(&from) {
            let element = element.unwrap();
            writer.element(element.name(), &from, &element);
        }
        assert_eq!(writer.finish(), from.as_bytes());
    }
}

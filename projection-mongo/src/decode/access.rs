//! The fields of a document and the elements of an array, one after another.

use bson::{
    RawArray, RawBsonRef, RawDocument,
    raw::{CStr, RawIter},
};
use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

use super::{error::DecodeError, key::FieldName, value::Value};

/// The fields of a document.
pub(super) struct Fields<'de> {
    elements: RawIter<'de>,
    hidden: &'de [&'de str],
    added: Option<(&'de str, RawBsonRef<'de>)>,
    next: Option<(&'de str, RawBsonRef<'de>)>,
}

impl<'de> Fields<'de> {
    pub(super) fn new(document: &'de RawDocument) -> Self {
        Self::of_part(document, &[], None)
    }

    /// Without the `hidden` fields, and with `added` before the others.
    pub(super) fn of_part(
        document: &'de RawDocument,
        hidden: &'de [&'de str],
        added: Option<(&'de str, RawBsonRef<'de>)>,
    ) -> Self {
        Self { elements: document.iter_elements(), hidden, added, next: None }
    }

    fn advance(&mut self) -> Result<Option<(&'de str, RawBsonRef<'de>)>, DecodeError> {
        if let Some(added) = self.added.take() {
            return Ok(Some(added));
        }
        for element in self.elements.by_ref() {
            let element = element?;
            let name = CStr::as_str(element.key());
            if !self.hidden.contains(&name) {
                return Ok(Some((name, element.value().map_err(|error| DecodeError::from(error).inside(name))?)));
            }
        }
        Ok(None)
    }
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DecodeError> {
        self.next = self.advance()?;
        self.next.map(|(name, _)| seed.deserialize(FieldName(name))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, DecodeError> {
        let (name, value) = self.next.take().unwrap_or(("", RawBsonRef::Null));
        seed.deserialize(Value(value)).map_err(|error| error.inside(name))
    }
}

/// The elements of an array.
pub(super) struct Elements<'de> {
    elements: <&'de RawArray as IntoIterator>::IntoIter,
    place: usize,
}

impl<'de> Elements<'de> {
    pub(super) fn new(array: &'de RawArray) -> Self {
        Self { elements: array.into_iter(), place: 0 }
    }
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, DecodeError> {
        let Some(element) = self.elements.next() else {
            return Ok(None);
        };
        let value = seed.deserialize(Value(element?));
        let value = value.map_err(|error| error.inside(&self.place.to_string()))?;
        self.place += 1;
        Ok(Some(value))
    }
}

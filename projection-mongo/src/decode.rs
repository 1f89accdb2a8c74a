//! Decodes raw BSON straight into a user's type, as sensibly as JSON would be.
//!
//! No document tree is built between. It differs from the deserializer of the `bson` crate in what it takes for
//! granted: types are written in their human-readable form (a `Uuid` or an IP address is text); a date, an object id
//! or a binary UUID can be read as text; a whole number that was stored as a double can be read as an integer; map
//! keys can be numbers. BSON's own types (`bson::DateTime`, `ObjectId`, …) are read as ever.

mod access;
mod error;
mod key;
mod scalar;
mod value;

use bson::{RawBsonRef, RawDocument};
use serde::de::{DeserializeOwned, value::MapAccessDeserializer};

use self::{access::Fields, value::Value};
pub(crate) use self::{error::DecodeError, scalar::as_whole};

/// Decodes a value.
pub(crate) fn from_value<T: DeserializeOwned>(value: RawBsonRef<'_>) -> Result<T, DecodeError> {
    T::deserialize(Value(value))
}

/// Decodes a document without some of its fields, and with another value in one of them.
pub(crate) fn from_fields<'a, T: DeserializeOwned>(
    document: &'a RawDocument,
    hidden: &'a [&'a str],
    added: Option<(&'a str, RawBsonRef<'a>)>,
) -> Result<T, DecodeError> {
    T::deserialize(MapAccessDeserializer::new(Fields::of_part(document, hidden, added)))
}

#[cfg(test)]
mod tests;

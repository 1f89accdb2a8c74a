//! One BSON value as a serde deserializer.

use bson::{Bson, RawBsonRef, spec::BinarySubtype};
use serde::{
    Deserializer,
    de::{
        Error as _, Visitor,
        value::{BorrowedStrDeserializer, MapAccessDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};

use super::{
    access::{Elements, Fields},
    error::DecodeError,
    scalar::{as_text, as_whole},
};

/// A BSON value that is decoded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'de>(pub(super) RawBsonRef<'de>);

impl Value<'_> {
    /// The same value for the deserializer of the `bson` crate, which knows BSON's own types.
    fn native(self) -> Result<bson::Deserializer, DecodeError> {
        Ok(bson::Deserializer::new(Bson::try_from(self.0)?))
    }
}

macro_rules! integers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            match as_whole(self.0) {
                Some(whole) => visitor.visit_i64(whole),
                None => self.deserialize_any(visitor),
            }
        })*
    };
}

macro_rules! texts {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            match as_text(self.0) {
                Some(text) => visitor.visit_string(text),
                None => self.deserialize_any(visitor),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            RawBsonRef::Double(double) => visitor.visit_f64(double),
            RawBsonRef::String(text) | RawBsonRef::Symbol(text) => visitor.visit_borrowed_str(text),
            RawBsonRef::Document(document) => visitor.visit_map(Fields::new(document)),
            RawBsonRef::Array(array) => visitor.visit_seq(Elements::new(array)),
            RawBsonRef::Boolean(bool) => visitor.visit_bool(bool),
            RawBsonRef::Null | RawBsonRef::Undefined => visitor.visit_unit(),
            RawBsonRef::Int32(int) => visitor.visit_i32(int),
            RawBsonRef::Int64(int) => visitor.visit_i64(int),
            RawBsonRef::Binary(binary) if binary.subtype == BinarySubtype::Generic => {
                visitor.visit_borrowed_bytes(binary.bytes)
            }
            _ => Ok(self.native()?.deserialize_any(visitor)?),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            RawBsonRef::Null | RawBsonRef::Undefined => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        // The names by which BSON's own types ask for themselves.
        if name.starts_with('$') {
            return Ok(self.native()?.deserialize_newtype_struct(name, visitor)?);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match self.0 {
            RawBsonRef::String(variant) => {
                BorrowedStrDeserializer::new(variant).deserialize_enum(name, variants, visitor)
            }
            RawBsonRef::Document(document) => {
                MapAccessDeserializer::new(Fields::new(document)).deserialize_enum(name, variants, visitor)
            }
            other => Err(DecodeError::custom(format_args!("{:?} is no variant of `{name}`", other.element_type()))),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            RawBsonRef::Binary(binary) => visitor.visit_borrowed_bytes(binary.bytes),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            RawBsonRef::Binary(binary) => {
                visitor.visit_seq(SeqDeserializer::<_, DecodeError>::new(binary.bytes.iter().copied()))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            // An event without data is stored as an empty document.
            RawBsonRef::Document(document) if document.is_empty() => visitor.visit_unit(),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_unit(visitor)
    }

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    texts! { deserialize_str deserialize_string }

    forward_to_deserialize_any! {
        bool f32 f64 char tuple tuple_struct map struct identifier ignored_any
    }
}

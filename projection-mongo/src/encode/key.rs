//! The key of a map as text.

use std::fmt::Display;

use serde::{
    Serialize, Serializer,
    ser::{Error, Impossible},
};

/// Writes the key of a map.
pub(super) struct AsKey<'a, T: ?Sized>(pub(super) &'a T);

impl<T: Serialize + ?Sized> Serialize for AsKey<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(Naming(serializer))
    }
}

/// A serializer that takes what can be written as text.
struct Naming<S>(S);

impl<S: Serializer> Naming<S> {
    fn text(self, value: impl Display) -> Result<S::Ok, S::Error> {
        self.0.serialize_str(&value.to_string())
    }

    fn refused<T>() -> Result<T, S::Error> {
        Err(S::Error::custom("the key of a map must be text, a whole number or a bool"))
    }
}

macro_rules! texts {
    ($($method:ident $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<S::Ok, S::Error> {
            self.text(value)
        })*
    };
}

macro_rules! refused {
    ($($method:ident($($argument:ty),*) -> $result:ty),* $(,)?) => {
        $(fn $method(self, $(_: $argument),*) -> Result<$result, S::Error> {
            Self::refused()
        })*
    };
}

impl<S: Serializer> Serializer for Naming<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Impossible<S::Ok, S::Error>;
    type SerializeTuple = Impossible<S::Ok, S::Error>;
    type SerializeTupleStruct = Impossible<S::Ok, S::Error>;
    type SerializeTupleVariant = Impossible<S::Ok, S::Error>;
    type SerializeMap = Impossible<S::Ok, S::Error>;
    type SerializeStruct = Impossible<S::Ok, S::Error>;
    type SerializeStructVariant = Impossible<S::Ok, S::Error>;

    texts! {
        serialize_bool bool, serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_char char
    }

    fn is_human_readable(&self) -> bool {
        true
    }

    fn serialize_str(self, value: &str) -> Result<S::Ok, S::Error> {
        self.0.serialize_str(value)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<S::Ok, S::Error> {
        self.0.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        value.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<S::Ok, S::Error> {
        Self::refused()
    }

    refused! {
        serialize_f32(f32) -> S::Ok,
        serialize_f64(f64) -> S::Ok,
        serialize_bytes(&[u8]) -> S::Ok,
        serialize_none() -> S::Ok,
        serialize_unit() -> S::Ok,
        serialize_unit_struct(&'static str) -> S::Ok,
        serialize_seq(Option<usize>) -> Self::SerializeSeq,
        serialize_tuple(usize) -> Self::SerializeTuple,
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct,
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant,
        serialize_map(Option<usize>) -> Self::SerializeMap,
        serialize_struct(&'static str, usize) -> Self::SerializeStruct,
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant,
    }
}

//! The name of a field as the key of a map: text, or a number that is written in it.

use serde::{
    Deserializer,
    de::{IntoDeserializer, Visitor, value::BorrowedStrDeserializer},
    forward_to_deserialize_any,
};

use super::error::DecodeError;

/// The name of a field.
pub(super) struct FieldName<'de>(pub(super) &'de str);

macro_rules! number {
    ($($method:ident $visit:ident $type:ty),*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            match self.0.parse::<$type>() {
                Ok(number) => visitor.$visit(number),
                Err(_) => visitor.visit_borrowed_str(self.0),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for FieldName<'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let text: BorrowedStrDeserializer<'de, DecodeError> = BorrowedStrDeserializer::new(self.0);
        text.into_deserializer().deserialize_enum(name, variants, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_some(self)
    }

    number!(
        deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16, deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64, deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32, deserialize_u64 visit_u64 u64, deserialize_bool visit_bool bool
    );

    forward_to_deserialize_any! {
        f32 f64 char str string seq bytes byte_buf map struct unit ignored_any unit_struct tuple_struct tuple
        identifier
    }
}

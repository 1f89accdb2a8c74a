//! What has parts: each part is written as it is stored, each key of a map as text.

use serde::{
    Serialize, Serializer,
    ser::{
        Error, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
        SerializeTupleStruct, SerializeTupleVariant,
    },
};

use super::{AsStored, key::AsKey};

/// A list, map or struct that is being written.
pub(super) struct Compound<C>(pub(super) C);

macro_rules! parts {
    ($($interface:ident $method:ident),*) => {
        $(impl<C: $interface> $interface for Compound<C> {
            type Ok = C::Ok;
            type Error = C::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
                self.0.$method(&AsStored(value))
            }

            fn end(self) -> Result<C::Ok, C::Error> {
                self.0.end()
            }
        })*
    };
}

parts! {
    SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
}

impl<C: SerializeStruct> SerializeStruct for Compound<C> {
    type Ok = C::Ok;
    type Error = C::Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), C::Error> {
        if name == DECIMAL {
            return self.0.serialize_field("$numberDecimalBytes", &Decimal::read(value)?);
        }
        self.0.serialize_field(name, &AsStored(value))
    }

    fn skip_field(&mut self, name: &'static str) -> Result<(), C::Error> {
        self.0.skip_field(name)
    }

    fn end(self) -> Result<C::Ok, C::Error> {
        self.0.end()
    }
}

impl<C: SerializeStructVariant> SerializeStructVariant for Compound<C> {
    type Ok = C::Ok;
    type Error = C::Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), C::Error> {
        self.0.serialize_field(name, &AsStored(value))
    }

    fn skip_field(&mut self, name: &'static str) -> Result<(), C::Error> {
        self.0.skip_field(name)
    }

    fn end(self) -> Result<C::Ok, C::Error> {
        self.0.end()
    }
}

/// The one type of BSON whose human-readable form the `bson` crate writes but does not take.
const DECIMAL: &str = "$numberDecimal";

struct Decimal(bson::Decimal128);

impl Decimal {
    fn read<T: Serialize + ?Sized, E: Error>(value: &T) -> Result<Self, E> {
        let text = bson::serialize_to_bson(&AsStored(value)).map_err(E::custom)?;
        text.as_str().unwrap_or_default().parse().map(Self).map_err(E::custom)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0.bytes())
    }
}

impl<C: SerializeMap> SerializeMap for Compound<C> {
    type Ok = C::Ok;
    type Error = C::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), C::Error> {
        self.0.serialize_key(&AsKey(key))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
        self.0.serialize_value(&AsStored(value))
    }

    fn end(self) -> Result<C::Ok, C::Error> {
        self.0.end()
    }
}

//! A key as an `_id`: text, a 64-bit integer, a UUID or bytes (spec: B32).

use bson::{Bson, RawBsonRef, spec::BinarySubtype};
use projection_core::KeyRef;

use crate::writer::Writer;

/// The key as a value for the driver.
pub(crate) fn to_bson(id: KeyRef<'_>) -> Bson {
    let binary = |subtype, bytes: &[u8]| Bson::Binary(bson::Binary { subtype, bytes: bytes.to_vec() });
    match id {
        KeyRef::Text(text) => Bson::String(text.to_owned()),
        KeyRef::Int(int) => Bson::Int64(int),
        KeyRef::Uuid(uuid) => binary(BinarySubtype::Uuid, uuid.as_bytes()),
        KeyRef::Bytes(bytes) => binary(BinarySubtype::Generic, bytes),
    }
}

/// Writes the key as the field `_id`.
pub(crate) fn write(writer: &mut Writer, id: KeyRef<'_>) {
    match id {
        KeyRef::Text(text) => writer.str("_id", text),
        KeyRef::Int(int) => writer.i64("_id", int),
        KeyRef::Uuid(uuid) => writer.binary("_id", BinarySubtype::Uuid, uuid.as_bytes()),
        KeyRef::Bytes(bytes) => writer.binary("_id", BinarySubtype::Generic, bytes),
    }
}

/// The key that a stored `_id` is. A number is the same key however it is stored, as it is the same `_id`.
pub(crate) fn from_bson(id: RawBsonRef<'_>) -> Option<KeyRef<'_>> {
    match id {
        RawBsonRef::String(text) => Some(KeyRef::Text(text)),
        RawBsonRef::Int64(int) => Some(KeyRef::Int(int)),
        RawBsonRef::Int32(int) => Some(KeyRef::Int(int.into())),
        RawBsonRef::Double(_) => crate::decode::as_whole(id).map(KeyRef::Int),
        RawBsonRef::Binary(binary) => match binary.subtype {
            BinarySubtype::Uuid => uuid::Uuid::from_slice(binary.bytes).ok().map(KeyRef::Uuid),
            BinarySubtype::Generic => Some(KeyRef::Bytes(binary.bytes)),
            _ => None,
        },
        _ => None,
    }
}

/// How many bytes the key takes in a command, at most.
pub(crate) fn size(id: KeyRef<'_>) -> usize {
    const AROUND: usize = 32;
    AROUND
        + match id {
            KeyRef::Text(text) => text.len(),
            KeyRef::Int(_) => 8,
            KeyRef::Uuid(_) => 16,
            KeyRef::Bytes(bytes) => bytes.len(),
        }
}

/// Whether a state's own `_id`, as serde wrote it, is this key.
pub(crate) fn is_same(own: RawBsonRef<'_>, id: KeyRef<'_>) -> bool {
    match (own, id) {
        (RawBsonRef::String(text), KeyRef::Uuid(uuid)) => text.parse() == Ok(uuid),
        (RawBsonRef::Binary(binary), KeyRef::Uuid(uuid)) => binary.bytes == uuid.as_bytes(),
        (RawBsonRef::Array(array), KeyRef::Bytes(bytes)) => {
            let own = array.into_iter().map(|byte| byte.ok().and_then(bson::RawBsonRef::as_i32));
            own.eq(bytes.iter().map(|byte| Some(i32::from(*byte))))
        }
        _ => from_bson(own) == Some(id),
    }
}

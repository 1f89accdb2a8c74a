//! A key that can be kept, whatever its type.

use uuid::Uuid;

use crate::KeyRef;

/// A [`KeyRef`] that owns what it refers to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum OwnedKey {
    Text(String),
    Int(i64),
    Uuid(Uuid),
    Bytes(Vec<u8>),
}

impl OwnedKey {
    pub(super) fn as_key(&self) -> KeyRef<'_> {
        match self {
            Self::Text(text) => KeyRef::Text(text),
            Self::Int(int) => KeyRef::Int(*int),
            Self::Uuid(uuid) => KeyRef::Uuid(*uuid),
            Self::Bytes(bytes) => KeyRef::Bytes(bytes),
        }
    }
}

impl From<KeyRef<'_>> for OwnedKey {
    fn from(key: KeyRef<'_>) -> Self {
        match key {
            KeyRef::Text(text) => Self::Text(text.to_owned()),
            KeyRef::Int(int) => Self::Int(int),
            KeyRef::Uuid(uuid) => Self::Uuid(uuid),
            KeyRef::Bytes(bytes) => Self::Bytes(bytes.to_vec()),
        }
    }
}

//! Keys: what finds a view instance. A closed set of types, so that two keys are one stored id exactly when they
//! are equal (spec: B32).

use std::{fmt, hash::Hash};

use uuid::Uuid;

use crate::StreamId;

mod collect;

pub use collect::{IntoKey, IntoKeys, Keys};
#[doc(hidden)]
pub use collect::{Many, One};

/// The id of a view instance: text, a 64-bit integer, a UUID, bytes, or a newtype of one of them.
///
/// Implemented for [`String`], [`i64`], [`Uuid`], `Vec<u8>`, [`StreamId`] and [`Singleton`]; for a newtype write
/// `#[derive(Key)]`. A key of several parts is a newtype of a `String` that joins them.
///
/// There are no floats, since `0.1 + 0.2` finds nothing, and no unsigned 64-bit integers, since no database here
/// stores them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the id of a view instance",
    label = "not a key",
    note = "a key is a `String`, an `i64`, a `Uuid`, a `Vec<u8>`, or a newtype of one of them with `#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Key)]`"
)]
pub trait Key: Clone + Eq + Ord + Hash + fmt::Debug + Send + Sync + 'static {
    /// The key as a store sees it.
    fn as_key(&self) -> KeyRef<'_>;

    /// The key a store gave back.
    ///
    /// # Errors
    ///
    /// When the stored key is of another kind.
    fn from_key(key: KeyRef<'_>) -> Result<Self, KeyMismatch>;
}

/// A key as a store sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyRef<'a> {
    /// Text.
    Text(&'a str),
    /// A 64-bit integer.
    Int(i64),
    /// A UUID.
    Uuid(Uuid),
    /// Bytes.
    Bytes(&'a [u8]),
}

impl fmt::Display for KeyRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Int(int) => int.fmt(f),
            Self::Uuid(uuid) => uuid.fmt(f),
            Self::Bytes(bytes) => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}

/// A stored key is of another kind than the projection's key type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the stored id {found} is not {expected}: was the view written with another `id` type?")]
pub struct KeyMismatch {
    /// The id that was found, as text.
    pub found: String,
    /// What it should have been.
    pub expected: &'static str,
}

impl KeyMismatch {
    /// `found` is not an `expected`, such as "a text".
    #[must_use]
    pub fn new(found: KeyRef<'_>, expected: &'static str) -> Self {
        Self { found: found.to_string(), expected }
    }
}

macro_rules! key {
    ($type:ty, $expected:literal, |$this:ident| $to:expr, $pattern:pat => $from:expr) => {
        impl Key for $type {
            fn as_key(&self) -> KeyRef<'_> {
                let $this = self;
                $to
            }

            fn from_key(key: KeyRef<'_>) -> Result<Self, KeyMismatch> {
                match key {
                    $pattern => Ok($from),
                    other => Err(KeyMismatch::new(other, $expected)),
                }
            }
        }
    };
}

key!(String, "a text", |this| KeyRef::Text(this), KeyRef::Text(text) => text.to_owned());
key!(StreamId, "a text", |this| KeyRef::Text(this.as_str()), KeyRef::Text(text) => text.into());
key!(i64, "a 64-bit integer", |this| KeyRef::Int(*this), KeyRef::Int(int) => int);
key!(Uuid, "a UUID", |this| KeyRef::Uuid(*this), KeyRef::Uuid(uuid) => uuid);
key!(Vec<u8>, "bytes", |this| KeyRef::Bytes(this), KeyRef::Bytes(bytes) => bytes.to_vec());

/// The id of the one instance of a projection that is declared `singleton`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Singleton;

impl Singleton {
    const ID: &'static str = "singleton";
}

key!(Singleton, "the text \"singleton\"", |_this| KeyRef::Text(Singleton::ID), KeyRef::Text(Singleton::ID) => Singleton);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_the_way_to_a_store_and_back() {
        fn there_and_back<K: Key>(key: &K) {
            assert_eq!(K::from_key(key.as_key()).unwrap(), *key);
        }
        there_and_back(&"a".to_owned());
        there_and_back(&StreamId::from("a"));
        there_and_back(&-7_i64);
        there_and_back(&Uuid::from_u128(7));
        there_and_back(&vec![0_u8, 255]);
        there_and_back(&Singleton);
    }

    #[test]
    fn a_stored_key_of_another_kind_is_named() {
        let error = i64::from_key(KeyRef::Text("7")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the stored id \"7\" is not a 64-bit integer: was the view written with another `id` type?"
        );
    }
}

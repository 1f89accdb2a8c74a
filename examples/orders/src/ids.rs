//! What names an order and a customer: newtypes, so that one is not taken for the other.

use std::{fmt, str::FromStr};

use projection_core::{Key, StreamId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An order. Its events are the stream of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Key)]
#[serde(transparent)]
pub(crate) struct OrderId(Uuid);

impl OrderId {
    /// One that no order has.
    pub(crate) fn random() -> Self {
        Self(Uuid::new_v4())
    }

    pub(crate) fn stream(&self) -> StreamId {
        self.to_string().into()
    }
}

impl fmt::Display for OrderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A text that names no order.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} names no order: the id of an order reads like 6f1c2f0e-8a5b-4a53-9f0e-2f8e5a3c7d21")]
pub(crate) struct InvalidOrderId(String);

impl FromStr for OrderId {
    type Err = InvalidOrderId;

    fn from_str(text: &str) -> Result<Self, InvalidOrderId> {
        text.parse().map(Self).map_err(|_| InvalidOrderId(text.to_owned()))
    }
}

/// A customer, as the shop calls them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Key)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct CustomerId(String);

/// A text that names no customer.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} names no customer: use 1 to 64 letters, digits, `-`, `_` or `.`, such as \"ada\"")]
pub(crate) struct InvalidCustomerId(String);

impl FromStr for CustomerId {
    type Err = InvalidCustomerId;

    fn from_str(text: &str) -> Result<Self, InvalidCustomerId> {
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        if (1..=64).contains(&text.chars().count()) && text.chars().all(fits) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidCustomerId(text.to_owned()))
        }
    }
}

impl TryFrom<String> for CustomerId {
    type Error = InvalidCustomerId;

    fn try_from(text: String) -> Result<Self, InvalidCustomerId> {
        text.parse()
    }
}

impl From<CustomerId> for String {
    fn from(id: CustomerId) -> Self {
        id.0
    }
}

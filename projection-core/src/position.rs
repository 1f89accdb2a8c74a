//! Where an event stands in its store's order.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The place of an event in the order of its event store: larger is later.
///
/// Positions start at 1; [`Position::START`] (0) stands before the first event. They rise, but need not be
/// contiguous. Every value fits a signed 64-bit integer, since that is what databases store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "i64")]
pub struct Position(i64);

/// A position below zero, or past what a signed 64-bit integer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{value} is no position: a position is a whole number from 0 to 9223372036854775807")]
pub struct InvalidPosition {
    value: i128,
}

impl Position {
    /// Before the first event.
    pub const START: Self = Self(0);

    /// After every event.
    pub(crate) const END: Self = Self(i64::MAX);

    /// The position as the integer a database stores; never negative.
    #[must_use]
    pub const fn as_i64(self) -> i64 {
        self.0
    }

    /// The position as an unsigned integer.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0.unsigned_abs()
    }

    /// The position right before this one; [`START`](Self::START) has none, and stays.
    #[must_use]
    pub(crate) const fn before(self) -> Self {
        Self(if self.0 > 0 { self.0 - 1 } else { 0 })
    }

    /// How many positions lie between an earlier position and this one; 0 if it is not earlier.
    #[must_use]
    pub const fn distance_from(self, earlier: Self) -> u64 {
        if self.0 > earlier.0 { self.0.abs_diff(earlier.0) } else { 0 }
    }
}

impl TryFrom<i64> for Position {
    type Error = InvalidPosition;

    fn try_from(value: i64) -> Result<Self, Self::Error> {
        if value < 0 { Err(InvalidPosition { value: value.into() }) } else { Ok(Self(value)) }
    }
}

impl TryFrom<u64> for Position {
    type Error = InvalidPosition;

    fn try_from(value: u64) -> Result<Self, Self::Error> {
        i64::try_from(value).map(Self).map_err(|_| InvalidPosition { value: value.into() })
    }
}

impl From<u32> for Position {
    fn from(value: u32) -> Self {
        Self(value.into())
    }
}

impl From<Position> for i64 {
    fn from(position: Position) -> Self {
        position.0
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_position_is_refused_with_its_value() {
        let error = Position::try_from(-3_i64).unwrap_err();
        assert!(error.to_string().starts_with("-3 is no position"));
    }

    #[test]
    fn distance_never_goes_below_zero() {
        assert_eq!(Position::from(3).distance_from(Position::from(8)), 0);
        assert_eq!(Position::from(8).distance_from(Position::from(3)), 5);
    }
}

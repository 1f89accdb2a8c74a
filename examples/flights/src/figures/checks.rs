//! The sums that every view of the flights must agree on.

use std::{
    fmt,
    iter::Sum,
    ops::{Add, AddAssign},
};

use serde::Serialize;

/// How many flights there are, and what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Checks {
    /// Flights in the schedule.
    pub flights: i64,
    /// Those that left.
    pub departed: i64,
    /// Those that arrived.
    pub arrived: i64,
    /// Those that never left.
    pub cancelled: i64,
}

impl Checks {
    pub(super) fn agree(self, view: &'static str, found: Self) -> Result<(), Disagreement> {
        if self == found { Ok(()) } else { Err(Disagreement { view, found, flights: self }) }
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { flights, departed, arrived, cancelled } = self;
        write!(f, "{flights} flights, {departed} departed, {arrived} arrived, {cancelled} cancelled")
    }
}

impl Add for Checks {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            flights: self.flights + other.flights,
            departed: self.departed + other.departed,
            arrived: self.arrived + other.arrived,
            cancelled: self.cancelled + other.cancelled,
        }
    }
}

impl AddAssign for Checks {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Checks {
    fn sum<I: Iterator<Item = Self>>(sums: I) -> Self {
        sums.fold(Self::default(), Self::add)
    }
}

/// Two views tell different things of the same flights: one of them missed an event, or took one twice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the view `{view}` tells of {found}, but the view `flights` of {flights}")]
pub struct Disagreement {
    view: &'static str,
    found: Checks,
    flights: Checks,
}

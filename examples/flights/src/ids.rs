//! What finds the instances of the views: newtypes, so that an airport cannot be taken for an airline.

use std::fmt;

use projection_core::Key;
use serde::{Deserialize, Serialize};
use time::Date;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Key)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

text_id! {
    /// An airline, such as `UA`.
    Carrier
}
text_id! {
    /// An airport, such as `JFK`.
    Airport
}
text_id! {
    /// An aircraft, such as `N14228`.
    TailNumber
}
text_id! {
    /// A pair of airports, such as `JFK-LAX`.
    Route
}
text_id! {
    /// A day at an airport, by the clocks there, such as `JFK 2013-01-01`.
    AirportDay
}

impl Route {
    /// From one airport to another.
    #[must_use]
    pub fn between(origin: &Airport, dest: &Airport) -> Self {
        Self(format!("{origin}-{dest}"))
    }
}

impl AirportDay {
    /// A day at an airport.
    #[must_use]
    pub fn new(airport: &Airport, day: Date) -> Self {
        Self(format!("{airport} {day}"))
    }
}

//! What is said of a run: a table, a JSON object, a plot.

mod json;
mod numbers;
mod plot;
mod ratios;
mod table;

use crate::{Args, case::Case, flights::FlightsCase};

pub(crate) use ratios::void;

/// All that was measured.
pub(crate) struct Report<'a> {
    pub(crate) args: &'a Args,
    pub(crate) cases: Vec<Case>,
    pub(crate) flights: Option<FlightsCase>,
}

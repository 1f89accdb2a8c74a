//! The report: what the stored views say, as a person likes to read it.

mod numbers;
mod sections;
mod table;

use std::fmt;

pub(crate) use numbers::whole;

use crate::{figures::Figures, input::Malformed, summary::Summary};

/// The report as text: tables, and as its last line the [`Summary`] as JSON.
#[derive(Debug)]
pub struct Report<'a> {
    /// What the views say.
    pub figures: &'a Figures,
    /// The same in short, with what is known of the input.
    pub summary: &'a Summary,
    /// The first few rows that said no flight, where they were read in this run.
    pub malformed: &'a [Malformed],
}

impl Report<'_> {
    /// How many malformed rows are named.
    pub const MALFORMED_SHOWN: usize = 10;
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", sections::title(self.figures))?;
        writeln!(f)?;
        write!(f, "{}", sections::carriers(self.figures))?;
        write!(f, "{}", sections::aircraft(self.figures))?;
        write!(f, "{}", sections::busiest_to_leave(self.figures))?;
        write!(f, "{}", sections::busiest_to_arrive(self.figures))?;
        write!(f, "{}", sections::busiest_routes(self.figures))?;
        write!(f, "{}", sections::longest_routes(self.figures))?;
        write!(f, "{}", sections::records(&self.figures.records))?;
        write!(f, "{}", sections::airborne(self.figures))?;
        write!(f, "{}", sections::stored(self.figures, self.summary))?;
        if !self.malformed.is_empty() {
            write!(f, "{}", sections::malformed(self.malformed, self.summary.malformed))?;
        }
        writeln!(f, "{}", self.summary)
    }
}

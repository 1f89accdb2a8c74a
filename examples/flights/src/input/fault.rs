//! What can be wrong with the file, and with one row of it.

use std::fmt;

/// The file cannot be read as flights at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The first line is not the header of the flights.
    #[error("the first line is not the header of the flights\n    expected: {expected}\n    found:    {found}")]
    Header {
        /// The header of the data set.
        expected: String,
        /// The first line of the file.
        found: String,
    },
    /// The file is empty.
    #[error("the file is empty; expected the header: {expected}")]
    Empty {
        /// The header of the data set.
        expected: String,
    },
    /// Reading failed.
    #[error("reading failed at line {line} or after it")]
    Read {
        /// The line that was to be read.
        line: u64,
        /// Why.
        #[source]
        source: csv::Error,
    },
}

/// A row that says no flight: it is left out, counted and named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// Its line in the file; the header is line 1.
    pub line: u64,
    /// What is wrong with it.
    pub fault: RowFault,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.fault)
    }
}

/// What is wrong with a row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowFault {
    /// Too few or too many fields.
    #[error("{found} fields; a flight has {expected}")]
    Fields {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// Bytes that are no text.
    #[error("{column} is not UTF-8: {value}")]
    NotText {
        /// In which column.
        column: &'static str,
        /// The bytes, those that are no text replaced.
        value: Shown,
    },
    /// A value that every flight needs is `NA` or empty.
    #[error("{column} is not said, and {because}")]
    NotSaid {
        /// In which column.
        column: &'static str,
        /// Why it is needed.
        because: &'static str,
    },
    /// A value that is not what its column holds.
    #[error("{column} is {value}, and should be {expected}")]
    Unreadable {
        /// In which column.
        column: &'static str,
        /// What stands there.
        value: Shown,
        /// What should.
        expected: &'static str,
    },
    /// Two columns that cannot both be right.
    #[error("{column} is {value}, but {other} makes it {implied}")]
    Contradiction {
        /// The column that was compared.
        column: &'static str,
        /// What it says.
        value: String,
        /// What it was compared with.
        other: &'static str,
        /// What that says.
        implied: String,
    },
    /// The flight stands in the file already.
    #[error("flight {flight} stands on line {first} already")]
    Repeated {
        /// The flight's id.
        flight: String,
        /// Where it was first.
        first: u64,
    },
}

/// A value from the file, fit for a message: quoted, escaped, and not longer than a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown(String);

impl Shown {
    const LONGEST: usize = 40;

    pub(super) fn new(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut start: String = text.chars().take(Self::LONGEST).collect();
        if start.len() < text.len() {
            start.push('…');
        }
        Self(start)
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

//! Reading the CSV: from a line of text to a compact row, or to the reason why it is none.

mod codes;
mod fault;
mod fields;
mod reader;
mod record;
mod row;
mod zones;

pub use codes::{Code, Codes};
pub use fault::{InputError, Malformed, RowFault};
pub use reader::{COLUMNS, read};
pub use row::{Arrival, Outcome, Row};

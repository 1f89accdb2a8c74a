//! Writes many documents: statements in chunks within the server's limits, and what became of each.
//!
//! `insert`, `update` and `delete` go out as commands, since their replies say per statement what happened.
//! A chunk ends at 10,000 statements or 12 MB (spec: B30), and two are in flight. All are unordered, and acknowledged
//! by a majority; nothing is said of the journal, which is what makes it cheap.

mod answer;
mod chunk;
mod reply;
mod target;

pub(crate) use answer::Answer;
pub(crate) use chunk::{MAX_BYTES, Statement, Verb, in_transaction};
pub(crate) use reply::{Reply, WriteError};
pub(crate) use target::{Sent, Target};

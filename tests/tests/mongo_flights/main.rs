//! The flights example on a real server, its documents read back with the plain driver: neither how many events make a
//! batch nor what becomes of the server shows in any of them.

mod batches;
mod documents;
mod failover;

const WEEK: &str = include_str!("../../../examples/flights/data/flights-2013-01-01-to-07.csv");

/// The header and the first `rows` rows.
fn beginning(rows: usize) -> String {
    WEEK.split_inclusive('\n').take(rows + 1).collect()
}

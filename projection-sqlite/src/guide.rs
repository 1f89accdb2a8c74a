//! The page of the guide, whose programs are compiled and run as tests.

#[doc = include_str!("../../docs/guide/sqlite.md")]
struct Sqlite;

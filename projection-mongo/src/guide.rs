//! The page of the guide, whose programs are compiled as tests.

#[doc = include_str!("../../docs/guide/mongodb.md")]
struct MongoDb;

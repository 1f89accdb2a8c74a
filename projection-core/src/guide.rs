//! The README and the pages of the guide, whose programs are compiled and run as tests.

#[doc = include_str!("../../README.md")]
struct Readme;

#[doc = include_str!("../../docs/guide/batching.md")]
struct Batching;

#[doc = include_str!("../../docs/guide/events-and-handlers.md")]
struct EventsAndHandlers;

#[doc = include_str!("../../docs/guide/failure-and-retry.md")]
struct FailureAndRetry;

#[doc = include_str!("../../docs/guide/running.md")]
struct Running;

#[doc = include_str!("../../docs/guide/testing.md")]
struct Testing;

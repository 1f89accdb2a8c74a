//! A store in a file: what survives, who may write, what is refused, and what can be seen from outside.

#![allow(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod appending;
mod fences;
mod killed;
mod leases;
mod looking;
mod opening;
mod property;
mod sharing;
mod support;
mod unique;

//! The built program, driven over HTTP, ended in every way, and started again.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test, what fails is to panic")]

mod client;
mod deciding;
mod mongodb;
mod placing;
mod program;
mod refusing;
mod restarting;
mod sharing;
mod waiting;

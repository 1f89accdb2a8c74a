//! The test kit: a view tested as the plain functions that it is, with no server and no runtime; and a repository that
//! keeps a log of its calls and fails where a test wants it to.

mod given;
mod recording;

pub use given::{Given, given};
pub use recording::RecordingRepository;

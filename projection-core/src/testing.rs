//! The test kit: a view tested as the plain functions that it is, with no server and no runtime; and repositories that
//! keep a log of their calls and fail where a test wants them to.

mod faulty;
mod given;
mod recording;

pub use faulty::{Fault, FaultyRepository};
pub use given::{Given, given};
pub use recording::RecordingRepository;

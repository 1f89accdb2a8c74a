//! A projection as operations see it.

use super::Health;
use crate::{FeedError, Progress};

/// A projection and its state.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ProjectionStatus {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: u32,
    /// Whether it is well.
    pub health: Health,
    /// How far it is; its phase says whether it is replaying, live, stopped or failed.
    pub progress: Progress,
    /// Why it failed, if it did.
    pub failure: Option<FeedError>,
}

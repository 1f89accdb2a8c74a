//! What a child is told to do.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{generate::Shape, options::Tuning, way::Way};

/// One run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Spec {
    pub(crate) place: Place,
    pub(crate) work: Work,
    pub(crate) tuning: Tuning,
    /// Count what is sent, which takes time: such a run is not measured.
    pub(crate) counting: bool,
    /// Say each position that is reached, as a line.
    pub(crate) telling: bool,
}

/// Where events and views are.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Place {
    Mongo { uri: String },
    Sqlite { directory: PathBuf },
}

/// What is done there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Work {
    /// The made-up history, one way; the first `events` of it.
    Accounts { shape: Shape, way: Way, events: u64, majority: bool },
    /// The flights; one view, or all.
    Flights { view: Option<String> },
}

//! What one run gives.

mod clock;
mod process;
mod spread;

use serde::{Deserialize, Serialize};

pub(crate) use clock::{Ran, clocked};
pub(crate) use spread::Spread;

/// One run, as its process saw it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// How many events it applied; for the insert floor, how many states it wrote.
    pub(crate) events: u64,
    pub(crate) seconds: f64,
    /// Processor time of the process, in seconds.
    pub(crate) client_cpu: f64,
    /// Processor time of the server, in seconds, where there is one.
    pub(crate) server_cpu: Option<f64>,
    /// The most memory the process had, in bytes.
    pub(crate) peak_bytes: u64,
    /// What was sent, where it was counted.
    pub(crate) sent: Option<Sent>,
    /// What the runtime says, of a run of ours.
    pub(crate) replayed: Option<Replayed>,
}

/// What a client sent.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Sent {
    /// Commands, each of which waits for an answer.
    pub(crate) round_trips: u64,
    /// Statements in them: one for each document that is written, one for each read.
    pub(crate) statements: u64,
}

/// What the runtime says of a replay.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Replayed {
    /// Batches flushed.
    pub(crate) batches: u64,
    /// Instances written, each once a batch.
    pub(crate) instances_written: u64,
    /// How long it waited until it owned the view, in seconds.
    pub(crate) waited: f64,
    /// The position it began after.
    pub(crate) resumed_from: i64,
    /// The most work between two checkpoints, in seconds: what a kill can cost.
    pub(crate) worst_loss_seconds: f64,
    /// The same in events.
    pub(crate) worst_loss_events: u64,
    /// Where the time went, in seconds. Reading and decoding go on beside the rest.
    pub(crate) read: f64,
    pub(crate) decode: f64,
    pub(crate) fold: f64,
    pub(crate) flush: f64,
}

impl Measured {
    /// Events a second.
    pub(crate) fn rate(&self) -> f64 {
        self.events as f64 / self.seconds
    }

    /// Of each event, where it was counted.
    pub(crate) fn sent_per_event(&self) -> Option<(f64, f64)> {
        let events = self.events.max(1) as f64;
        self.sent.map(|sent| (sent.round_trips as f64 / events, sent.statements as f64 / events))
    }
}

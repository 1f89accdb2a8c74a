//! How a materialized view is fed: settings of one view.

use std::{num::NonZeroUsize, time::Duration};

use crate::{RetryStrategy, Start};

/// A setting that was refused when it was built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{option} = {value} is refused: {allowed}")]
pub struct InvalidOption {
    /// The option.
    pub option: &'static str,
    /// The value that was given.
    pub value: String,
    /// What is allowed.
    pub allowed: &'static str,
}

/// What happens to an event that cannot be decoded, or whose handler panics (spec: B14).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnPoison {
    /// The projection fails, naming projection, instance, event and position.
    #[default]
    Fail,
    /// The event is recorded as skipped, for that instance, and passed over.
    Skip,
    /// The instance is parked: it and its later events are passed over, with a record, until it is released by
    /// [`ProjectionRuntime::release`](crate::ProjectionRuntime::release); the others go on. When so many are parked, the
    /// projection fails. An event that cannot be decoded has no instance, and fails the projection.
    Park {
        /// How many may be parked at once.
        max: usize,
    },
}

/// How a materialized view is fed. The attribute sets them; options at registration override it.
///
/// ```
/// # use projection_core::MaterializedViewOptions;
/// let options = MaterializedViewOptions::builder().batch_size(200).build()?;
/// assert!(MaterializedViewOptions::new(0).is_err());
/// # Ok::<(), projection_core::InvalidOption>(())
/// ```
#[derive(Debug, Clone)]
pub struct MaterializedViewOptions {
    batch_size: NonZeroUsize,
    batch_bytes: NonZeroUsize,
    cache_bytes: usize,
    memory_budget: Option<NonZeroUsize>,
    max_replay_loss: Duration,
    retry: RetryStrategy,
    on_poison: OnPoison,
    start: Start,
    accept_changed_handlers: bool,
}

/// `batch_size` when nothing is said (spec: P2).
const BATCH_SIZE: NonZeroUsize = NonZeroUsize::new(1000).expect("not zero");
const BATCH_BYTES: NonZeroUsize = NonZeroUsize::new(16 << 20).expect("not zero");
const CACHE_BYTES: usize = 32 << 20;
/// How much work a kill may cost (spec: B12).
const MAX_REPLAY_LOSS: Duration = Duration::from_secs(60);

impl Default for MaterializedViewOptions {
    fn default() -> Self {
        Self {
            batch_size: BATCH_SIZE,
            batch_bytes: BATCH_BYTES,
            cache_bytes: CACHE_BYTES,
            memory_budget: None,
            max_replay_loss: MAX_REPLAY_LOSS,
            retry: RetryStrategy::none(),
            on_poison: OnPoison::default(),
            start: Start::default(),
            accept_changed_handlers: false,
        }
    }
}

impl MaterializedViewOptions {
    /// The defaults with this batch size.
    ///
    /// # Errors
    ///
    /// When `batch_size` is 0.
    pub fn new(batch_size: usize) -> Result<Self, InvalidOption> {
        Self::builder().batch_size(batch_size).build()
    }

    /// Builds options, starting from the defaults.
    pub fn builder() -> MaterializedViewOptionsBuilder {
        Self::default().to_builder()
    }

    /// Builds options, starting from these.
    pub fn to_builder(&self) -> MaterializedViewOptionsBuilder {
        MaterializedViewOptionsBuilder {
            batch_size: self.batch_size.get(),
            batch_bytes: self.batch_bytes.get(),
            memory_budget: self.memory_budget(),
            rest: self.clone(),
        }
    }

    /// These options with another [`batch_size`](Self::batch_size), which cannot be refused.
    #[must_use]
    pub fn with_batch_size(mut self, pairs: NonZeroUsize) -> Self {
        self.batch_size = pairs;
        self
    }

    /// How many (event, instance) pairs, over all instances, make a batch (spec: P1). 1000 by default.
    #[must_use]
    pub fn batch_size(&self) -> usize {
        self.batch_size.get()
    }

    /// How many bytes of events make a batch, whatever its size (spec: B2). 16 MiB by default.
    #[must_use]
    pub fn batch_bytes(&self) -> usize {
        self.batch_bytes.get()
    }

    /// How many bytes of states a replay keeps in memory, so that they are not read again. 32 MiB by default; 0
    /// keeps none. A `batch_size` of 1 keeps none either (spec: P3).
    #[must_use]
    pub fn cache_bytes(&self) -> usize {
        if self.batch_size.get() == 1 { 0 } else { self.cache_bytes }
    }

    /// How many bytes of states a replay may hold before it writes them, whatever `batch_size` says; `None` by default.
    /// Each instance is then written once for all the events that reach it meanwhile: what a replay costs is how often
    /// instances are written. Takes effect where the repository is guarded. The bytes are estimated from a sample of the
    /// states; pages that are read ahead come on top, some tens of MB. Once live, batches are of `batch_size` again.
    #[must_use]
    pub fn memory_budget(&self) -> Option<usize> {
        self.memory_budget.map(NonZeroUsize::get)
    }

    /// How much time of work a replay with a [`memory_budget`](Self::memory_budget) may lose when it is killed: it writes
    /// at the latest after so long (spec: B12). 60 s by default.
    #[must_use]
    pub fn max_replay_loss(&self) -> Duration {
        self.max_replay_loss
    }

    /// What happens when a read or a write fails. [`RetryStrategy::none`] by default.
    #[must_use]
    pub fn retry(&self) -> &RetryStrategy {
        &self.retry
    }

    /// What happens to an event that cannot be decoded, or whose handler panics. It fails the projection by default.
    #[must_use]
    pub fn on_poison(&self) -> OnPoison {
        self.on_poison
    }

    /// Where the view begins when it has no checkpoint. [`Start::Beginning`] by default.
    #[must_use]
    pub fn start(&self) -> Start {
        self.start
    }

    /// Whether a start goes on although the handlers take other events than when the checkpoint was stored.
    #[must_use]
    pub fn accept_changed_handlers(&self) -> bool {
        self.accept_changed_handlers
    }
}

/// Builds [`MaterializedViewOptions`]; a bad value is refused by [`build`](Self::build).
#[derive(Debug, Clone)]
#[must_use]
pub struct MaterializedViewOptionsBuilder {
    batch_size: usize,
    batch_bytes: usize,
    memory_budget: Option<usize>,
    rest: MaterializedViewOptions,
}

impl MaterializedViewOptionsBuilder {
    /// Sets [`MaterializedViewOptions::batch_size`]: 1 or more.
    pub fn batch_size(mut self, pairs: usize) -> Self {
        self.batch_size = pairs;
        self
    }

    /// Sets [`MaterializedViewOptions::batch_bytes`]: 1 or more.
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes;
        self
    }

    /// Sets [`MaterializedViewOptions::cache_bytes`].
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.rest.cache_bytes = bytes;
        self
    }

    /// Sets [`MaterializedViewOptions::memory_budget`]: 1 or more, with a `batch_size` of 2 or more.
    pub fn memory_budget(mut self, bytes: usize) -> Self {
        self.memory_budget = Some(bytes);
        self
    }

    /// Sets [`MaterializedViewOptions::max_replay_loss`].
    pub fn max_replay_loss(mut self, work: Duration) -> Self {
        self.rest.max_replay_loss = work;
        self
    }

    /// Sets [`MaterializedViewOptions::retry`].
    pub fn retry(mut self, strategy: RetryStrategy) -> Self {
        self.rest.retry = strategy;
        self
    }

    /// Sets [`MaterializedViewOptions::on_poison`].
    pub fn on_poison(mut self, on_poison: OnPoison) -> Self {
        self.rest.on_poison = on_poison;
        self
    }

    /// Sets [`MaterializedViewOptions::start`].
    pub fn start(mut self, start: Start) -> Self {
        self.rest.start = start;
        self
    }

    /// Goes on although the handlers take other events than when the checkpoint was stored: events of a new kind
    /// that stand before the checkpoint are never applied (spec: B16).
    pub fn accept_changed_handlers(mut self) -> Self {
        self.rest.accept_changed_handlers = true;
        self
    }

    /// The options.
    ///
    /// # Errors
    ///
    /// When a value is not allowed; the error names it and says what is.
    pub fn build(self) -> Result<MaterializedViewOptions, InvalidOption> {
        let batch_size = NonZeroUsize::new(self.batch_size).ok_or(InvalidOption {
            option: "batch_size",
            value: "0".into(),
            allowed: "a batch holds 1 event or more; 1 reads, applies and saves each event by itself",
        })?;
        let batch_bytes = NonZeroUsize::new(self.batch_bytes).ok_or(InvalidOption {
            option: "batch_bytes",
            value: "0".into(),
            allowed: "a batch holds 1 byte or more; an event larger than the bound makes a batch of its own",
        })?;
        let budget = |bytes: usize| {
            let refused = |allowed| InvalidOption { option: "memory_budget", value: bytes.to_string(), allowed };
            if batch_size.get() == 1 {
                return Err(refused("with a batch_size of 1 no state is kept in memory; leave one of the two out"));
            }
            NonZeroUsize::new(bytes)
                .ok_or(refused("a replay holds 1 byte or more; leave it out to write by batch_size"))
        };
        let memory_budget = self.memory_budget.map(budget).transpose()?;
        Ok(MaterializedViewOptions { batch_size, batch_bytes, memory_budget, ..self.rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: P2
    #[test]
    fn a_batch_size_of_zero_is_refused_saying_what_is_allowed() {
        let error = MaterializedViewOptions::new(0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "batch_size = 0 is refused: a batch holds 1 event or more; 1 reads, applies and saves each event by itself"
        );
        assert_eq!(MaterializedViewOptions::default().batch_size(), 1000);
    }

    // spec: P3
    #[test]
    fn a_batch_size_of_one_keeps_no_state() {
        assert_eq!(MaterializedViewOptions::new(1).unwrap().cache_bytes(), 0);
    }
}

//! Retry strategies: whether to try again, and after which delay. Deciding only; the engine does the waiting.

use std::{fmt, sync::Arc, time::Duration};

use backon::{BackoffBuilder, ConstantBuilder, ExponentialBuilder};

use crate::{InvalidOption, StoreError};

/// What happens when a read or a write of a store fails.
///
/// By default only what may pass is tried again: transient errors and lost races. A shutdown ends a sleeping delay.
#[derive(Clone)]
pub struct RetryStrategy {
    delays: Delays,
    attempts: Option<usize>,
    predicate: Predicate,
}

type Predicate = Arc<dyn Fn(&StoreError) -> bool + Send + Sync>;

#[derive(Debug, Clone, Copy)]
enum Delays {
    None,
    Fixed(ConstantBuilder),
    Exponential(ExponentialBuilder),
}

impl RetryStrategy {
    /// Never tries again: the first error fails the projection. The default.
    #[must_use]
    pub fn none() -> Self {
        Self::with_delays(Delays::None)
    }

    /// Tries again after the same delay each time, without end unless [`with_attempts`](Self::with_attempts).
    #[must_use]
    pub fn fixed(delay: Duration) -> Self {
        Self::with_delays(Delays::Fixed(ConstantBuilder::default().with_delay(delay).without_max_times()))
    }

    /// Tries again after a delay that doubles from `first` up to `cap`, with jitter (up to once more the delay, so
    /// that processes which failed together do not return together), without end unless
    /// [`with_attempts`](Self::with_attempts).
    #[must_use]
    pub fn exponential(first: Duration, cap: Duration) -> Self {
        let delays = ExponentialBuilder::default()
            .with_min_delay(first)
            .with_max_delay(cap)
            .with_factor(2.0)
            .without_max_times()
            .with_jitter();
        Self::with_delays(Delays::Exponential(delays))
    }

    fn with_delays(delays: Delays) -> Self {
        Self { delays, attempts: None, predicate: Arc::new(StoreError::may_pass) }
    }

    /// Gives up after `attempts` tries in all, the first included.
    ///
    /// # Errors
    ///
    /// When `attempts` is 0.
    pub fn with_attempts(mut self, attempts: usize) -> Result<Self, InvalidOption> {
        if attempts == 0 {
            return Err(InvalidOption {
                option: "attempts",
                value: "0".into(),
                allowed: "the first try counts, so 1 or more; 1 never tries again",
            });
        }
        self.attempts = Some(attempts);
        Ok(self)
    }

    /// Tries again only on errors that `predicate` accepts, instead of on transient ones and lost races.
    #[must_use]
    pub fn when(mut self, predicate: impl Fn(&StoreError) -> bool + Send + Sync + 'static) -> Self {
        self.predicate = Arc::new(predicate);
        self
    }

    /// Whether it is [`none`](Self::none): bulk calls with every repository (spec: P14).
    #[must_use]
    pub fn is_none(&self) -> bool {
        matches!(self.delays, Delays::None)
    }

    /// The decisions for one operation: each error is answered by a delay, or by giving up.
    #[must_use]
    pub fn start(&self) -> Retries {
        let delays: Box<dyn Iterator<Item = Duration> + Send + Sync> = match self.delays {
            Delays::None => Box::new(std::iter::empty()),
            Delays::Fixed(fixed) => Box::new(fixed.build()),
            Delays::Exponential(exponential) => Box::new(exponential.build()),
        };
        let retries = self.attempts.map_or(usize::MAX, |attempts| attempts - 1);
        Retries { delays: Box::new(delays.take(retries)), predicate: Arc::clone(&self.predicate), attempts: 0 }
    }
}

impl Default for RetryStrategy {
    fn default() -> Self {
        Self::none()
    }
}

impl fmt::Debug for RetryStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryStrategy")
            .field("delays", &self.delays)
            .field("attempts", &self.attempts)
            .finish_non_exhaustive()
    }
}

/// The decisions for one operation that is tried again.
pub struct Retries {
    delays: Box<dyn Iterator<Item = Duration> + Send + Sync>,
    predicate: Predicate,
    attempts: usize,
}

impl Retries {
    /// The operation failed with `error`: after which delay to try again, or `None` to give up.
    pub fn after(&mut self, error: &StoreError) -> Option<Duration> {
        self.attempts += 1;
        if self.accepts(error) { self.delays.next() } else { None }
    }

    /// Whether an error like this one is tried again at all.
    #[must_use]
    pub fn accepts(&self, error: &StoreError) -> bool {
        (self.predicate)(error)
    }

    /// How often the operation has failed.
    #[must_use]
    pub fn failures(&self) -> usize {
        self.attempts
    }
}

impl fmt::Debug for Retries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retries").field("failures", &self.attempts).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn delays(strategy: &RetryStrategy, error: &StoreError, most: usize) -> Vec<Duration> {
        let mut retries = strategy.start();
        std::iter::from_fn(|| retries.after(error)).take(most).collect()
    }

    #[test]
    fn none_never_tries_again() {
        assert!(delays(&RetryStrategy::none(), &StoreError::transient("x"), 5).is_empty());
    }

    #[test]
    fn fixed_waits_the_same_until_the_attempts_are_used_up() {
        let second = Duration::from_secs(1);
        let strategy = RetryStrategy::fixed(second).with_attempts(3).unwrap();
        assert_eq!(delays(&strategy, &StoreError::conflict("x"), 9), [second, second]);
        let endless = RetryStrategy::fixed(second);
        assert_eq!(delays(&endless, &StoreError::conflict("x"), 99).len(), 99);
    }

    #[test]
    fn exponential_doubles_up_to_the_cap_with_jitter_on_top() {
        let ms = Duration::from_millis;
        let found = delays(&RetryStrategy::exponential(ms(10), ms(40)), &StoreError::transient("x"), 6);
        for (found, base) in found.iter().zip([10, 20, 40, 40, 40, 40]) {
            assert!((ms(base)..=ms(2 * base)).contains(found), "{found:?} for a base of {base} ms");
        }
    }

    #[test]
    fn what_cannot_pass_is_not_tried_again_unless_the_predicate_says_so() {
        let strategy = RetryStrategy::fixed(Duration::ZERO);
        assert!(delays(&strategy, &StoreError::permanent("x"), 5).is_empty());
        let stubborn = strategy.when(|error| error.kind() == ErrorKind::Permanent);
        assert_eq!(delays(&stubborn, &StoreError::permanent("x"), 5).len(), 5);
    }

    #[test]
    fn zero_attempts_are_refused() {
        assert!(RetryStrategy::none().with_attempts(0).is_err());
    }
}

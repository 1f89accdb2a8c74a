//! The writing side of progress.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::watch;

use super::{Phase, Progress, TimeSpent};
use crate::Position;

/// Keeps the current [`Progress`] of one projection, and tells its watchers.
pub(crate) struct ProgressRecorder {
    sender: watch::Sender<Progress>,
    began: Mutex<Began>,
    moved: Mutex<Instant>,
}

/// When a phase began, at which position, and after how many events.
#[derive(Clone, Copy)]
struct Began {
    at: Instant,
    position: Position,
    events: u64,
}

impl ProgressRecorder {
    pub(crate) fn new(projection: &str) -> Self {
        let (sender, _) = watch::channel(Progress {
            projection: Arc::from(projection),
            phase: Phase::Starting,
            start: Position::START,
            position: Position::START,
            head: Position::START,
            parked: 0,
            events_applied: 0,
            events_skipped: 0,
            instances_written: 0,
            batches: 0,
            events_per_second: 0.0,
            time_left: None,
            spent: TimeSpent::default(),
        });
        let began = Began { at: Instant::now(), position: Position::START, events: 0 };
        Self { sender, began: Mutex::new(began), moved: Mutex::new(Instant::now()) }
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Progress> {
        self.sender.subscribe()
    }

    /// A new phase begins, where the last one ended.
    pub(crate) fn phase(&self, phase: Phase) {
        let position = self.sender.borrow().position;
        self.begin(phase, position);
    }

    /// A new phase begins, at `position`.
    pub(crate) fn begin(&self, phase: Phase, position: Position) {
        let events = events(&self.sender.borrow());
        self.moved();
        *self.began() = Began { at: Instant::now(), position, events };
        self.sender.send_modify(|progress| {
            progress.phase = phase;
            progress.position = position;
            progress.time_left = None;
        });
    }

    /// What is known of the view besides how far it is.
    pub(crate) fn view(&self, start: Position, parked: usize) {
        self.sender.send_if_modified(|progress| {
            let changed = (progress.start, progress.parked) != (start, parked);
            (progress.start, progress.parked) = (start, parked);
            changed
        });
    }

    /// How long the position has not moved while there was lag.
    pub(crate) fn unmoved(&self) -> Duration {
        self.moved.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    fn moved(&self) {
        *self.moved.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// The store's mark was read.
    pub(crate) fn head(&self, head: Position) {
        self.sender.send_if_modified(|progress| {
            if progress.lag() == 0 {
                self.moved();
            }
            let moved = head > progress.head;
            progress.head = progress.head.max(head);
            moved
        });
    }

    /// Something was done: `change` counts it.
    pub(crate) fn update(&self, position: Position, change: impl FnOnce(&mut Progress)) {
        let began = *self.began();
        let elapsed = began.at.elapsed();
        self.sender.send_modify(|progress| {
            change(progress);
            if position > progress.position {
                self.moved();
            }
            progress.position = progress.position.max(position);
            progress.events_per_second = rate(events(progress) - began.events, elapsed);
            progress.time_left = time_left(began.position, progress.position, progress.head, elapsed);
        });
    }

    fn began(&self) -> MutexGuard<'_, Began> {
        self.began.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn events(progress: &Progress) -> u64 {
    progress.events_applied + progress.events_skipped
}

#[expect(clippy::cast_precision_loss, reason = "a rate for people to read")]
fn rate(events: u64, elapsed: Duration) -> f64 {
    if elapsed.is_zero() { 0.0 } else { events as f64 / elapsed.as_secs_f64() }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate for people to read")]
fn time_left(from: Position, position: Position, head: Position, elapsed: Duration) -> Option<Duration> {
    let done = position.distance_from(from);
    let left = head.distance_from(position);
    if left == 0 {
        return Some(Duration::ZERO);
    }
    if done == 0 {
        return None;
    }
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * left as f64 / done as f64).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_told_from_the_pace_of_the_phase() {
        let at = Position::from;
        let second = Duration::from_secs(1);
        assert_eq!(time_left(at(100), at(100), at(500), second), None);
        assert_eq!(time_left(at(100), at(200), at(500), second), Some(3 * second));
        assert_eq!(time_left(at(100), at(500), at(500), second), Some(Duration::ZERO));
    }

    // spec: B40
    #[test]
    fn position_and_head_never_go_backwards_within_a_phase() {
        let recorder = ProgressRecorder::new("orders");
        let watch = recorder.watch();
        recorder.begin(Phase::Replaying, Position::START);
        recorder.head(Position::from(9));
        recorder.head(Position::from(5));
        recorder.update(Position::from(4), |progress| progress.events_applied += 4);
        recorder.update(Position::from(3), |_| {});
        let progress = watch.borrow().clone();
        assert_eq!((progress.position, progress.head), (Position::from(4), Position::from(9)));
        assert_eq!(progress.lag(), 5);
    }
}

//! What is known of the positions that others fill: how high they were, and when; up to where they are closed.
//!
//! Positions are given out in order. So once a position is seen, all below it have been given out; those that are empty
//! have been open since then at least. That is why a few sightings of the highest position are enough, and no list of
//! gaps is kept.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// A sighting stands for this part of the horizon.
const SLOTS: u32 = 32;
/// How many closings are told apart.
const CLOSINGS: usize = 256;

/// Up to where the positions are filled or closed. Time is passed in.
#[derive(Debug)]
pub(super) struct Ledger {
    horizon: Duration,
    /// When which position was the highest; rising in both.
    sightings: VecDeque<(Instant, i64)>,
    closings: VecDeque<Closing>,
    mark: i64,
    /// The first empty position above the mark, and since when it is known.
    held: Option<(i64, Instant)>,
}

/// Empty positions after `after`, up to `to`, were closed at a time of the server.
#[derive(Debug, Clone, Copy)]
struct Closing {
    after: i64,
    to: i64,
    time: u64,
}

impl Ledger {
    pub(super) fn new(horizon: Duration) -> Self {
        Self { horizon, sightings: VecDeque::new(), closings: VecDeque::new(), mark: 0, held: None }
    }

    pub(super) fn mark(&self) -> i64 {
        self.mark
    }

    /// Whether nothing was seen yet.
    pub(super) fn is_new(&self) -> bool {
        self.sightings.is_empty()
    }

    /// The highest position at present.
    pub(super) fn sees(&mut self, head: i64, now: Instant) {
        let slot = self.horizon / SLOTS;
        let count = self.sightings.len();
        if self.sightings.back().is_some_and(|(_, last)| *last >= head) {
            return;
        }
        if count >= 2 && self.sightings[count - 1].0.duration_since(self.sightings[count - 2].0) < slot {
            self.sightings.pop_back();
        }
        self.sightings.push_back((now, head));
    }

    /// All positions up to here have been given out for as long as the horizon.
    pub(super) fn floor(&mut self, now: Instant) -> i64 {
        let is_old = |at: &Instant| now.duration_since(*at) >= self.horizon;
        while self.sightings.len() >= 2 && is_old(&self.sightings[1].0) {
            self.sightings.pop_front();
        }
        self.sightings.front().filter(|(at, _)| is_old(at)).map_or(0, |(_, head)| *head)
    }

    /// When the oldest sighting is as old as the horizon.
    pub(super) fn due(&self, now: Instant) -> Duration {
        let at = self.sightings.front().map_or(now, |(at, _)| *at);
        self.horizon.saturating_sub(now.duration_since(at))
    }

    /// All positions up to here are filled.
    pub(super) fn fill(&mut self, up_to: i64) {
        self.mark = self.mark.max(up_to);
    }

    /// What is empty up to here is closed, at this time of the server: readers see all that was committed by then.
    pub(super) fn close(&mut self, up_to: i64, time: u64) {
        if up_to <= self.mark {
            return;
        }
        if self.closings.len() == CLOSINGS {
            // Taken together, with the earlier time: one arrival too many is told rather than one too few.
            if let (Some(first), Some(second)) = (self.closings.pop_front(), self.closings.front_mut()) {
                (second.after, second.time) = (first.after, first.time);
            }
        }
        self.closings.push_back(Closing { after: self.mark, to: up_to, time });
        self.mark = up_to;
    }

    /// Whether an event came to this position, at this time of the server, after it was closed.
    pub(super) fn is_late(&self, position: i64, time: u64) -> bool {
        let closed = |closing: &Closing| closing.after < position && position <= closing.to && time > closing.time;
        self.closings.iter().any(closed)
    }

    /// Remembers what holds the mark, if it does not reach `head`.
    pub(super) fn hold(&mut self, head: i64, now: Instant) {
        let first = self.mark + 1;
        self.held = match self.held {
            _ if self.mark >= head => None,
            Some(held) if held.0 == first => Some(held),
            _ => Some((first, now)),
        };
    }

    /// The lowest empty position, and since when it is known to be.
    pub(super) fn held(&self) -> Option<(i64, Instant)> {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HORIZON: Duration = Duration::from_secs(10);

    fn after(start: Instant, milliseconds: u64) -> Instant {
        start + Duration::from_millis(milliseconds)
    }

    #[test]
    fn what_is_below_a_position_is_closed_a_horizon_after_that_was_seen() {
        let (mut ledger, start) = (Ledger::new(HORIZON), Instant::now());
        ledger.sees(7, start);
        ledger.sees(9, after(start, 4_000));
        assert_eq!(ledger.floor(after(start, 9_999)), 0);
        assert_eq!(ledger.floor(after(start, 10_000)), 7);
        assert_eq!(ledger.floor(after(start, 14_000)), 9);
    }

    #[test]
    fn a_position_that_is_seen_again_keeps_the_time_at_which_it_was_seen_first() {
        let (mut ledger, start) = (Ledger::new(HORIZON), Instant::now());
        for at in (0..10_000).step_by(100) {
            ledger.sees(7, after(start, at));
        }
        assert_eq!(ledger.floor(after(start, 10_000)), 7);
    }

    #[test]
    fn however_often_it_looks_it_keeps_few_sightings_and_closes_little_later() {
        let (mut ledger, start) = (Ledger::new(HORIZON), Instant::now());
        for at in 0..60_000 {
            ledger.sees(i64::try_from(at).unwrap() + 1, after(start, at));
            let floor = ledger.floor(after(start, at));
            assert!(floor <= i64::try_from(at).unwrap() + 1 - 10_000 || floor == 0, "never early");
            if at > 11_000 {
                assert!(floor >= i64::try_from(at).unwrap() - 11_000, "{floor} at {at}");
            }
            assert!(ledger.sightings.len() <= 2 * SLOTS as usize + 3, "{}", ledger.sightings.len());
        }
    }

    #[test]
    fn an_arrival_is_late_when_it_came_after_its_position_was_closed() {
        let mut ledger = Ledger::new(HORIZON);
        ledger.fill(4);
        ledger.close(9, 100);
        ledger.fill(20);
        ledger.close(25, 200);
        assert!(ledger.is_late(6, 101));
        assert!(!ledger.is_late(6, 100), "readers see what was committed by then");
        assert!(!ledger.is_late(4, 300) && !ledger.is_late(15, 300) && !ledger.is_late(26, 300));
        assert!(!ledger.is_late(22, 150) && ledger.is_late(22, 201));
        assert_eq!(ledger.mark(), 25);
    }

    #[test]
    fn of_many_closings_the_oldest_are_taken_together_and_none_is_forgotten() {
        let mut ledger = Ledger::new(HORIZON);
        for n in 1..=10_000_i64 {
            ledger.fill(n * 10);
            ledger.close(n * 10 + 5, n.unsigned_abs());
        }
        assert_eq!(ledger.closings.len(), CLOSINGS);
        for n in [1, 5_000, 10_000] {
            assert!(ledger.is_late(n * 10 + 3, 20_000), "{n}");
        }
    }

    #[test]
    fn what_holds_the_mark_is_known_since_it_was_first_seen() {
        let (mut ledger, start) = (Ledger::new(HORIZON), Instant::now());
        ledger.fill(3);
        ledger.hold(5, start);
        ledger.hold(9, after(start, 50));
        assert_eq!(ledger.held(), Some((4, start)));
        ledger.fill(9);
        ledger.hold(9, after(start, 60));
        assert_eq!(ledger.held(), None);
    }
}

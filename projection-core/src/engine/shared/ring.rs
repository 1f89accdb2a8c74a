//! The last few pages of a shared scan, and what a view that wants the next one has to do.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use super::page::SharedPage;
use crate::store::Window;

/// How many pages are kept for those that have not taken them yet.
const PAGES: usize = 4;

/// How long a page is kept for a view that is busy; then the others go on, and it reads by itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the first page waits for all views to start, so that it begins with the lowest.
const GATHER: Duration = Duration::from_millis(250);

/// A view that has not asked for so long is not waited for.
const ASLEEP: Duration = Duration::from_secs(5);

/// What a view has to do for its next page.
pub(super) enum Step {
    /// It is there.
    Take(Arc<SharedPage>),
    /// Read it, for all.
    Read(Window),
    /// Read it, for itself.
    Alone(Window),
    /// Wait until something changes, until then at the latest.
    Wait(Instant),
}

/// Consecutive pages, and who takes them.
pub(super) struct Ring {
    pages: VecDeque<Arc<SharedPage>>,
    members: Vec<Member>,
    reading: bool,
    /// When the first page was asked for.
    gathering: Option<Instant>,
}

/// A view: which window it wants a page of, and since when; `None` when it wants none.
#[derive(Clone, Copy, Default)]
struct Member {
    wants: Option<(Window, Instant)>,
}

impl Ring {
    pub(super) fn new() -> Self {
        Self { pages: VecDeque::new(), members: Vec::new(), reading: false, gathering: None }
    }

    pub(super) fn join(&mut self) -> usize {
        self.members.push(Member::default());
        self.members.len() - 1
    }

    /// What `member` has to do for a page of `window`.
    pub(super) fn step(&mut self, member: usize, window: Window, now: Instant) -> Step {
        self.members[member].wants = Some((window, now));
        let at = window.after;
        if let Some(page) = self.pages.iter().find(|page| page.after <= at && at < page.covers) {
            let page = Arc::clone(page);
            // It is not asked after before it asks again.
            let next = Window { after: page.covers.min(window.up_to), ..window };
            self.members[member].wants = (next.after < next.up_to).then_some((next, now));
            return Step::Take(page);
        }
        if self.pages.is_empty() {
            return self.first(member, window, now);
        }
        let (from, to) = (self.pages[0].after, self.pages[self.pages.len() - 1].covers);
        if at == to {
            return self.next(member, window, now);
        }
        let others_near = self.others(member, now).any(|other| from <= other.after && other.after <= to);
        if !others_near && !self.reading {
            // Nobody needs what is there.
            self.pages.clear();
            return self.read(window);
        }
        if at > to && at.distance_from(to) <= window.up_to.distance_from(at) {
            // The scan will be here before it would have read the rest by itself.
            return Step::Wait(now + PATIENCE);
        }
        self.members[member].wants = None;
        let up_to = if at < from { window.up_to.min(from) } else { window.up_to };
        Step::Alone(Window { after: at, up_to })
    }

    /// The first page: all that start now gather, and the lowest reads.
    fn first(&mut self, member: usize, window: Window, now: Instant) -> Step {
        let until = *self.gathering.get_or_insert(now) + GATHER;
        let gathered = self.members.iter().filter(|member| member.wants.is_some()).count();
        if self.reading || (gathered < self.members.len() && now < until) {
            return Step::Wait(if self.reading { now + PATIENCE } else { until });
        }
        match self.others(member, now).map(|other| other.after).min() {
            Some(lowest) if lowest < window.after => Step::Wait(now + GATHER),
            _ => self.read(window),
        }
    }

    /// The next page: read by who gets here first, unless others have not taken the oldest yet.
    fn next(&mut self, member: usize, window: Window, now: Instant) -> Step {
        if self.reading {
            return Step::Wait(now + PATIENCE);
        }
        if self.pages.len() >= PAGES {
            let oldest = &self.pages[0];
            let kept_until = oldest.born + PATIENCE;
            let wanted = |other: Window| oldest.after <= other.after && other.after < oldest.covers;
            if now < kept_until && self.others(member, now).any(wanted) {
                return Step::Wait(kept_until);
            }
        }
        self.read(window)
    }

    fn read(&mut self, window: Window) -> Step {
        self.reading = true;
        Step::Read(window)
    }

    /// What the other views that are awake want.
    fn others(&self, member: usize, now: Instant) -> impl Iterator<Item = Window> + '_ {
        let others = self.members.iter().enumerate().filter(move |(other, _)| *other != member);
        let awake = others.filter_map(|(_, other)| other.wants);
        awake.filter(move |(_, asked)| now.saturating_duration_since(*asked) < ASLEEP).map(|(window, _)| window)
    }

    pub(super) fn push(&mut self, page: SharedPage) {
        if self.pages.back().is_some_and(|last| last.covers != page.after) {
            self.pages.clear();
        }
        if self.pages.len() >= PAGES {
            self.pages.pop_front();
        }
        self.pages.push_back(Arc::new(page));
    }

    /// A read for all has ended, with a page or without.
    pub(super) fn has_read(&mut self) {
        self.reading = false;
    }
}

#[cfg(test)]
mod tests;

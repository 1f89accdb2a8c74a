//! Where each view goes on: what its stored checkpoint says.

use std::fmt;

use projection_core::{Position, StoreError, ViewStore};

use crate::{report::whole, views};

/// How far the stored views are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Each view, and the last event that it holds.
    views: Vec<(&'static str, Position)>,
    events: u64,
}

impl Standing {
    /// Reads the checkpoints of all views, of a history of so many events. A round trip a view.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub async fn of(store: &impl ViewStore, events: u64) -> Result<Self, StoreError> {
        let checkpoints = store.checkpoints();
        let mut standing = Self { views: Vec::new(), events };
        for (name, version) in views::ALL {
            let stored = checkpoints.load(name).await?;
            let ours = stored.iter().find(|checkpoint| checkpoint.key.version == version);
            standing.views.push((name, ours.map_or(Position::START, |checkpoint| checkpoint.position)));
        }
        Ok(standing)
    }

    fn is_done(&self, position: Position) -> bool {
        position.as_u64() >= self.events
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |number: u64| whole(i64::try_from(number).unwrap_or(i64::MAX));
        let events = number(self.events);
        if self.views.iter().all(|(_, position)| self.is_done(*position)) {
            return write!(f, "all views are up to date with {events} events");
        }
        if self.views.iter().all(|(_, position)| *position == Position::START) {
            return write!(f, "all views begin at the first of {events} events");
        }
        for (place, (view, position)) in self.views.iter().enumerate() {
            let end = if place == 0 { "" } else { "\n" };
            if self.is_done(*position) {
                write!(f, "{end}{view} is up to date")?;
            } else if *position == Position::START {
                write!(f, "{end}{view} begins at the first event")?;
            } else {
                write!(f, "{end}{view} goes on after event {} of {events}", number(position.as_u64()))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(positions: [u32; 3]) -> String {
        let views = ["a", "b", "c"].into_iter().zip(positions.map(Position::from)).collect();
        Standing { views, events: 1_001_615 }.to_string()
    }

    #[test]
    fn each_view_says_where_it_goes_on() {
        assert_eq!(
            said([412_000, 0, 1_001_615]),
            "a goes on after event 412,000 of 1,001,615\nb begins at the first event\nc is up to date"
        );
    }

    #[test]
    fn views_that_stand_together_are_told_together() {
        assert_eq!(said([0; 3]), "all views begin at the first of 1,001,615 events");
        assert_eq!(said([1_001_615; 3]), "all views are up to date with 1,001,615 events");
    }
}

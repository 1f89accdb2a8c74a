//! A made-up history, the same one each time for the same shape and seed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::account::{Account, Deposited, Noted, Withdrawn};

/// What a history is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// How many events it has.
    pub events: u64,
    /// Over how many accounts they are spread, evenly and at random.
    pub instances: u64,
    /// How many bytes an event has, as it is stored in MongoDB, roughly.
    pub event_bytes: usize,
    /// What it is made from.
    pub seed: u64,
}

/// What happened, and to which account.
#[derive(Debug, Clone)]
pub enum Happened {
    /// Money came: nine in twenty.
    Deposited(Deposited),
    /// Money went: nine in twenty.
    Withdrawn(Withdrawn),
    /// Something was written down: two in twenty.
    Noted(Noted),
}

/// Sums over the final states, by which a run is checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// How many accounts there are.
    pub instances: i64,
    /// The sum of their events.
    pub events: i64,
    /// The sum of what is in them.
    pub cents: i64,
    /// The sum of what last came or went, which tells whether the order was kept.
    pub last: i64,
}

impl Shape {
    /// A name that tells it from others.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}x{}x{}s{}", self.events, self.instances, self.event_bytes, self.seed)
    }

    /// The history, in order.
    pub fn history(&self) -> impl Iterator<Item = Happened> + Send + use<> {
        let Self { events, instances, event_bytes, seed } = *self;
        let mut random = Random(seed);
        (0..events).map(move |_| {
            let account = (random.next() % instances.max(1)).cast_signed();
            let (kind, cents) = (random.next() % 20, (random.next() % 100_000).cast_signed());
            let memo = random.words(event_bytes.saturating_sub(BESIDES_MEMO));
            match kind {
                0..9 => Happened::Deposited(Deposited { account, cents, memo }),
                9..18 => Happened::Withdrawn(Withdrawn { account, cents, memo }),
                _ => Happened::Noted(Noted { account, note: random.words(16), memo }),
            }
        })
    }

    /// What the view of it is in the end, by account.
    #[must_use]
    pub fn final_states(&self) -> BTreeMap<i64, Account> {
        let mut accounts: BTreeMap<i64, Account> = BTreeMap::new();
        for happened in self.history() {
            match &happened {
                Happened::Deposited(event) => accounts.entry(event.account).or_default().deposited(event),
                Happened::Withdrawn(event) => accounts.entry(event.account).or_default().withdrawn(event),
                Happened::Noted(event) => accounts.entry(event.account).or_default().noted(event),
            }
        }
        accounts
    }
}

impl Totals {
    /// The sums over these states.
    pub fn of<'a>(accounts: impl IntoIterator<Item = &'a Account>) -> Self {
        accounts.into_iter().fold(Self::default(), |sum, account| Self {
            instances: sum.instances + 1,
            events: sum.events + account.events,
            cents: sum.cents + account.cents,
            last: sum.last + account.last,
        })
    }

    /// The same, where each of `instances` accounts had an empty event before.
    #[must_use]
    pub fn after_opening(self, instances: i64) -> Self {
        Self { instances, events: self.events + instances, ..self }
    }
}

/// What an event has besides the memo, as it is stored in MongoDB.
const BESIDES_MEMO: usize = 193;

/// SplitMix64: enough for a benchmark, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Text of so many bytes, which compresses as text does.
    fn words(&mut self, bytes: usize) -> String {
        const WORDS: [&str; 16] = [
            "invoice ",
            "transfer ",
            "rent ",
            "from ",
            "to ",
            "card ",
            "payment ",
            "refund ",
            "of ",
            "salary ",
            "order ",
            "shop ",
            "fee ",
            "online ",
            "monthly ",
            "thanks ",
        ];
        let mut text = String::with_capacity(bytes + 9);
        while text.len() < bytes {
            let mut dice = self.next();
            for _ in 0..16 {
                text.push_str(WORDS[usize::from(dice.to_le_bytes()[0] % 16)]);
                dice >>= 4;
            }
        }
        text.truncate(bytes);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { events: 2000, instances: 50, event_bytes: 330, seed: 7 };

    #[test]
    fn a_history_is_the_same_each_time() {
        let accounts = |shape: Shape| Totals::of(shape.final_states().values());
        assert_eq!(accounts(SHAPE), accounts(SHAPE));
        assert_ne!(accounts(SHAPE), accounts(Shape { seed: 8, ..SHAPE }));
    }

    #[test]
    fn every_event_is_in_the_sums_and_every_account_is_met() {
        let totals = Totals::of(SHAPE.final_states().values());
        assert_eq!((totals.instances, totals.events), (50, 2000));
        assert_eq!(totals.after_opening(50).events, 2050);
    }

    #[test]
    fn the_kinds_of_events_are_mixed() {
        let noted = SHAPE.history().filter(|happened| matches!(happened, Happened::Noted(_))).count();
        assert!((100..300).contains(&noted), "{noted}");
    }

    #[test]
    fn two_shapes_have_two_names() {
        assert_eq!(SHAPE.name(), "2000x50x330s7");
    }
}

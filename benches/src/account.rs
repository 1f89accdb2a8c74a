//! The view of the made-up history, and its events: a counter, a last value and a short text for each account.

use projection_core::{Event, projection};
use serde::{Deserialize, Serialize};

/// Money came.
#[derive(Debug, Clone, Serialize, Deserialize, Event)]
#[event(name = "Deposited")]
pub struct Deposited {
    /// Whose.
    pub account: i64,
    /// How much.
    pub cents: i64,
    /// What gives the event its size.
    pub memo: String,
}

/// Money went.
#[derive(Debug, Clone, Serialize, Deserialize, Event)]
#[event(name = "Withdrawn")]
pub struct Withdrawn {
    /// Whose.
    pub account: i64,
    /// How much.
    pub cents: i64,
    /// What gives the event its size.
    pub memo: String,
}

/// Somebody wrote something down.
#[derive(Debug, Clone, Serialize, Deserialize, Event)]
#[event(name = "Noted")]
pub struct Noted {
    /// Whose.
    pub account: i64,
    /// What.
    pub note: String,
    /// What gives the event its size.
    pub memo: String,
}

/// What is known of an account.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// How many events it had.
    pub events: i64,
    /// What is in it.
    pub cents: i64,
    /// What came or went last.
    pub last: i64,
    /// What was last written down.
    pub note: String,
}

#[projection(name = "accounts", id = i64, key = event.account)]
impl Account {
    /// Money came.
    #[on]
    pub fn deposited(&mut self, event: &Deposited) {
        self.moved(event.cents);
    }

    /// Money went.
    #[on]
    pub fn withdrawn(&mut self, event: &Withdrawn) {
        self.moved(-event.cents);
    }

    /// Somebody wrote something down.
    #[on]
    pub fn noted(&mut self, event: &Noted) {
        self.events += 1;
        self.note.clone_from(&event.note);
    }
}

impl Account {
    /// So much came, or went.
    pub fn moved(&mut self, cents: i64) {
        self.events += 1;
        self.cents += cents;
        self.last = cents;
    }
}

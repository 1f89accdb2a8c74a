//! What somebody writes who does without us: one type for an event as it is stored, and a function that applies it.

use serde::{Deserialize, Serialize};

use crate::account::Account;

/// An event as it is stored, with the fields that are needed.
#[derive(Debug, Deserialize)]
pub(crate) struct StoredEvent {
    #[serde(rename = "type")]
    pub(crate) name: String,
    pub(crate) data: EventData,
}

/// The data of any of the events.
#[derive(Debug, Deserialize)]
pub(crate) struct EventData {
    pub(crate) account: i64,
    #[serde(default)]
    cents: i64,
    #[serde(default)]
    note: String,
    #[expect(dead_code, reason = "decoded, as ours is")]
    memo: String,
}

/// An account as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredAccount {
    #[serde(rename = "_id")]
    pub(crate) id: i64,
    pub(crate) state: Account,
}

impl StoredAccount {
    pub(crate) fn new(id: i64) -> Self {
        Self { id, state: Account::default() }
    }
}

/// Applies an event.
pub(crate) fn apply(account: &mut Account, name: &str, data: &EventData) {
    match name {
        "Deposited" => account.moved(data.cents),
        "Withdrawn" => account.moved(-data.cents),
        _ => {
            account.events += 1;
            account.note.clone_from(&data.note);
        }
    }
}

//! The id of an event that is to be recorded: the client's, if it wants to be able to ask twice.

use std::str::FromStr;

use uuid::Uuid;

/// No two events have the same one, so that what is asked for twice is recorded once.
#[derive(Debug, Clone)]
pub(crate) struct EventId {
    id: String,
    chosen: bool,
}

/// A text that is no `Idempotency-Key`.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no Idempotency-Key: use 8 to 100 letters, digits, `-`, `_`, `.` or `:`, such as a UUID")]
pub(crate) struct InvalidKey(String);

impl EventId {
    pub(crate) fn random() -> Self {
        Self { id: Uuid::new_v4().to_string(), chosen: false }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.id
    }

    /// Whether the client has chosen it, and so may have used it before.
    pub(crate) fn is_chosen(&self) -> bool {
        self.chosen
    }
}

impl FromStr for EventId {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
        if (8..=100).contains(&text.len()) && text.chars().all(fits) {
            Ok(Self { id: text.to_owned(), chosen: true })
        } else {
            Err(InvalidKey(text.to_owned()))
        }
    }
}

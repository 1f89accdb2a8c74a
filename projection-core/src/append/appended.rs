//! What an append did, and the token to wait for it in a view.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{Position, StreamId, store::SourceName};

/// Where events stand that were appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    token: AppendToken,
    versions: Vec<(StreamId, u64)>,
}

impl Appended {
    /// The events after position `after`, up to and including `last`, were appended; each stream has this version now.
    #[must_use]
    pub fn new(source: SourceName, after: Position, last: Position, versions: Vec<(StreamId, u64)>) -> Self {
        Self { token: AppendToken { source, after, last }, versions }
    }

    /// What [`ProjectionRuntime::applied`](crate::ProjectionRuntime::applied) waits for.
    #[must_use]
    pub fn token(&self) -> &AppendToken {
        &self.token
    }

    /// The position of the last event that was appended; [`Position::START`] where there was none.
    #[must_use]
    pub fn position(&self) -> Position {
        self.token.last
    }

    /// The version of the last stream that was appended to: the place of its last event.
    #[must_use]
    pub fn stream_version(&self) -> u64 {
        self.versions.last().map_or(0, |(_, version)| *version)
    }

    /// The version of `stream` now, if it was appended to.
    #[must_use]
    pub fn version_of(&self, stream: &StreamId) -> Option<u64> {
        self.versions.iter().rev().find(|(of, _)| of == stream).map(|(_, version)| *version)
    }
}

/// Names the events of one append, so that a reader can wait until a view has them. As text, for instance in a header
/// of a response, it is `events:16..18`: the store's order, and its positions after the first up to the last.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AppendToken {
    source: SourceName,
    after: Position,
    last: Position,
}

impl AppendToken {
    /// The order of positions it belongs to.
    #[must_use]
    pub fn source(&self) -> &SourceName {
        &self.source
    }

    /// The position before the first of its events.
    #[must_use]
    pub fn after(&self) -> Position {
        self.after
    }

    /// The position of the last of its events.
    #[must_use]
    pub fn last(&self) -> Position {
        self.last
    }
}

/// A text that is no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no token of an append: a token reads like `events:16..18`")]
pub struct InvalidToken(String);

impl fmt::Display for AppendToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.source, self.after, self.last)
    }
}

impl FromStr for AppendToken {
    type Err = InvalidToken;

    fn from_str(text: &str) -> Result<Self, InvalidToken> {
        let position = |text: &str| text.parse::<i64>().ok().and_then(|position| Position::try_from(position).ok());
        let parse = || {
            let (source, positions) = text.split_once(':')?;
            let (after, last) = positions.split_once("..")?;
            let (after, last) = (position(after)?, position(last)?);
            Some(Self { source: SourceName::new(source).ok()?, after, last }).filter(|_| after <= last)
        };
        parse().ok_or_else(|| InvalidToken(text.to_owned()))
    }
}

impl TryFrom<String> for AppendToken {
    type Error = InvalidToken;

    fn try_from(text: String) -> Result<Self, InvalidToken> {
        text.parse()
    }
}

impl From<AppendToken> for String {
    fn from(token: AppendToken) -> Self {
        token.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_survives_as_text() {
        let appended = Appended::new(SourceName::default(), Position::from(16), Position::from(18), vec![]);
        assert_eq!(appended.token().to_string(), "events:16..18");
        assert_eq!(&"events:16..18".parse::<AppendToken>().unwrap(), appended.token());
    }

    #[test]
    fn a_text_that_is_no_token_is_refused_with_an_example() {
        for text in ["", "events", "events:1", "events:2..1", "events:-1..1", "a b:1..2", "events:1..2x"] {
            let error = text.parse::<AppendToken>().unwrap_err().to_string();
            assert!(error.ends_with("a token reads like `events:16..18`"), "{error}");
        }
    }
}

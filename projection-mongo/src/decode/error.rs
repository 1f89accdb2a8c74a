//! What is wrong with a document that cannot be decoded, and where.

use std::fmt;

/// A value that does not fit the type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DecodeError {
    message: String,
    /// The fields from the outermost to the value, joined by dots.
    path: String,
}

impl DecodeError {
    /// The same error, inside the field `name`.
    pub(super) fn inside(mut self, name: &str) -> Self {
        self.path = if self.path.is_empty() { name.to_owned() } else { format!("{name}.{}", self.path) };
        self
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.path.is_empty() { Ok(()) } else { write!(f, ", in `{}`", self.path) }
    }
}

impl std::error::Error for DecodeError {}

impl serde::de::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string(), path: String::new() }
    }
}

impl From<bson::error::Error> for DecodeError {
    fn from(error: bson::error::Error) -> Self {
        serde::de::Error::custom(error.message.as_deref().map_or_else(|| error.to_string(), str::to_owned))
    }
}

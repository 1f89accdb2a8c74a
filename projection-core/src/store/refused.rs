//! States that a repository refuses before anything is sent.

use crate::StoreError;

/// The name of the sub-document that holds what we store beside a state. Refused as a field of a state.
pub const RESERVED_FIELD: &str = "_projection";

/// A state that cannot be stored, whatever is tried. All our repositories refuse the same ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefusedState {
    /// A field has the name of our own sub-document.
    #[error(
        "instance {instance} has a field `{RESERVED_FIELD}`, which is the name of the part that holds its position: \
         rename the field"
    )]
    ReservedField {
        /// The instance's id, as text.
        instance: String,
    },
    /// The state carries an `_id` which is not the instance's id (spec: P31).
    #[error(
        "instance {instance} has a field `_id` with the value {found}: leave it out, or keep it equal to the instance's id"
    )]
    OtherId {
        /// The instance's id, as text.
        instance: String,
        /// The value of the field, as text.
        found: String,
    },
    /// The state is larger than the store's limit (spec: B15).
    #[error("instance {instance} has {size} bytes, and {limit} are allowed: keep less in one instance")]
    TooLarge {
        /// The instance's id, as text.
        instance: String,
        /// Its encoded size in bytes.
        size: usize,
        /// What is allowed, in bytes.
        limit: usize,
    },
    /// Serde could not write the state.
    #[error("instance {instance} cannot be encoded: {cause}")]
    Unencodable {
        /// The instance's id, as text.
        instance: String,
        /// What serde said.
        cause: String,
    },
}

impl From<RefusedState> for StoreError {
    fn from(refused: RefusedState) -> Self {
        Self::poison(refused)
    }
}

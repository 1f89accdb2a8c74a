//! Why a command changed nothing.

use projection_core::StoreError;

use crate::{ids::OrderId, order::Refused};

#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("there is no order {0}: place one with POST /orders")]
    UnknownOrder(OrderId),
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("others keep changing this order: look at it, and try again")]
    Contended,
    #[error("the Idempotency-Key {0:?} was used for another request: use a new one for each thing that you want")]
    KeyUsed(String),
    /// The outcome may be unknown.
    #[error(transparent)]
    Store(#[from] StoreError),
}

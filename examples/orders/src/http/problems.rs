//! What each error of the service means over HTTP.

use axum::http::StatusCode;
use projection_core::{ErrorKind, StoreError, feed::AppliedError};

use super::problem::Problem;
use crate::{commands::CommandError, placing::NoOrder, told};

impl From<NoOrder> for Problem {
    fn from(error: NoOrder) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "no-order", error.to_string())
    }
}

impl From<CommandError> for Problem {
    fn from(error: CommandError) -> Self {
        let (status, kind) = match error {
            CommandError::UnknownOrder(_) => (StatusCode::NOT_FOUND, "unknown-order"),
            CommandError::Refused(_) => (StatusCode::CONFLICT, "refused"),
            CommandError::Contended => (StatusCode::CONFLICT, "contended"),
            CommandError::KeyUsed(_) => (StatusCode::UNPROCESSABLE_ENTITY, "key-used"),
            CommandError::Store(error) => return error.into(),
        };
        Self::new(status, kind, error.to_string())
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        tracing::error!(error = told::whole(&error), "the store failed");
        if error.kind() == ErrorKind::Transient {
            let detail = "the store cannot be reached now. A POST may or may not have been recorded: send it again with \
                          the same Idempotency-Key, and it is recorded once";
            return Self::new(StatusCode::SERVICE_UNAVAILABLE, "store-away", detail).try_again();
        }
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "store-failed", "the store failed; the log says how")
    }
}

impl From<AppliedError> for Problem {
    fn from(error: AppliedError) -> Self {
        match &error {
            AppliedError::TimedOut { .. } => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "not-applied-yet",
                format!("what was recorded is safe, and not in this view yet: ask again. {error}"),
            )
            .try_again(),
            AppliedError::PassedOver { parked, .. } => Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                if *parked { "parked" } else { "skipped" },
                format!(
                    "what was recorded is safe, but cannot be shown in this view until somebody looks into it: {error}"
                ),
            ),
            AppliedError::BeforeItsStart { .. } | AppliedError::OtherSource { .. } => {
                Self::bad_request("other-token", &error)
            }
            _ => {
                tracing::error!(error = told::whole(&error), "a view cannot be read");
                Self::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "view-failed",
                    "the view has failed; GET /projections says how",
                )
            }
        }
    }
}

//! What is read from a request, refused with what would be right.

use std::str::FromStr;

use axum::{
    Json,
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::request::Parts,
};
use projection_core::append::AppendToken;
use serde::{Deserialize, de::DeserializeOwned};

use super::{APPEND_TOKEN, problem::Problem};
use crate::commands::EventId;

/// The `{id}` of the path.
pub(super) struct Id<T>(pub(super) T);

impl<S: Send + Sync, T: FromStr<Err: std::error::Error>> FromRequestParts<S> for Id<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let Path(id) = path.map_err(|error| Problem::new(error.status(), "no-id", error.body_text()))?;
        id.parse().map(Self).map_err(|error| Problem::bad_request("no-id", &error))
    }
}

/// The append that the answer is to show: `?after=…`, or the header of the answer to a POST.
pub(super) struct After(pub(super) Option<AppendToken>);

#[derive(Deserialize)]
struct AfterQuery {
    after: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for After {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query = Query::<AfterQuery>::from_request_parts(parts, state).await;
        let Query(query) = query.map_err(|error| Problem::new(error.status(), "no-query", error.body_text()))?;
        let token = query.after.or_else(|| header(parts, APPEND_TOKEN));
        let token = token.map(|token| token.parse()).transpose();
        token.map(Self).map_err(|error| Problem::bad_request("no-token", &error))
    }
}

/// `Idempotency-Key`: asked for again with the same one, the answer is the same, and nothing is recorded twice.
pub(super) struct Once(pub(super) EventId);

impl<S: Send + Sync> FromRequestParts<S> for Once {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Some(key) = header(parts, "idempotency-key") else { return Ok(Self(EventId::random())) };
        key.parse().map(Self).map_err(|error| Problem::bad_request("no-key", &error))
    }
}

/// A body of JSON.
pub(super) struct Body<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned + Example> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        match Json::from_request(request, state).await {
            Ok(Json(body)) => Ok(Self(body)),
            Err(error) => {
                let detail = format!("{}; send JSON such as {}", error.body_text(), T::EXAMPLE);
                Err(Problem::new(error.status(), "bad-body", detail))
            }
        }
    }
}

/// What a body looks like that is right.
pub(super) trait Example {
    const EXAMPLE: &'static str;
}

/// A header that is no text counts as an empty one, which no header here may be.
fn header(parts: &Parts, name: &str) -> Option<String> {
    parts.headers.get(name).map(|value| value.to_str().unwrap_or_default().to_owned())
}

//! An answer that says what is wrong, and what would be right: as in RFC 9457.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;

/// What is wrong.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    kind: &'static str,
    detail: String,
    again: bool,
}

#[derive(Serialize)]
struct Body<'a> {
    r#type: String,
    status: u16,
    detail: &'a str,
}

impl Problem {
    /// `kind` is for programs, `detail` for people.
    pub(super) fn new(status: StatusCode, kind: &'static str, detail: impl Into<String>) -> Self {
        Self { status, kind, detail: detail.into(), again: false }
    }

    pub(super) fn bad_request(kind: &'static str, error: &impl std::error::Error) -> Self {
        Self::new(StatusCode::BAD_REQUEST, kind, error.to_string())
    }

    /// It may be right in a second.
    pub(super) fn try_again(self) -> Self {
        Self { again: true, ..self }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self { status, kind, detail, again } = self;
        let body = Body { r#type: format!("urn:orders:{kind}"), status: status.as_u16(), detail: &detail };
        let mut response = (status, Json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if again {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

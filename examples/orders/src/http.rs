//! The service over HTTP.

mod commands;
mod extract;
mod health;
mod problem;
mod problems;
mod projections;
mod views;

use std::{io, pin::pin, sync::Arc, time::Duration};

use axum::{
    Router,
    http::{StatusCode, Uri},
    routing::{get, post},
};
use projection_core::append::AppendEvents;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::problem::Problem;
use crate::service::Service;

/// The header of the token of an append: in the answer to a POST, and in a GET that is to see it.
const APPEND_TOKEN: &str = "append-token";

/// How long requests may take to their end once the service is to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Serves until `stop` resolves, then ends what is under way.
pub(crate) async fn serve<E: AppendEvents>(
    listener: TcpListener,
    service: Arc<Service<E>>,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let stopping = CancellationToken::new();
    let serving = axum::serve(listener, router(service)).with_graceful_shutdown(stopping.clone().cancelled_owned());
    let mut serving = pin!(serving.into_future());
    tokio::select! {
        ended = &mut serving => return ended,
        () = stop => tracing::info!("stopping"),
    }
    stopping.cancel();
    tokio::time::timeout(GRACE, serving).await.unwrap_or_else(|_| {
        tracing::warn!("requests that took longer than {GRACE:?} to end were broken off");
        Ok(())
    })
}

fn router<E: AppendEvents>(service: Arc<Service<E>>) -> Router {
    Router::new()
        .route("/orders", post(commands::place::<E>))
        .route("/orders/{id}/ship", post(commands::ship::<E>))
        .route("/orders/{id}/cancel", post(commands::cancel::<E>))
        .route("/orders/{id}", get(views::order::<E>))
        .route("/customers/{id}", get(views::customer::<E>))
        .route("/health/live", get(health::live::<E>))
        .route("/health/ready", get(health::ready::<E>))
        .route("/projections", get(projections::list::<E>))
        .fallback(nothing_here)
        .method_not_allowed_fallback(not_so)
        .with_state(service)
}

const ROUTES: &str = "POST /orders, POST /orders/{id}/ship, POST /orders/{id}/cancel, GET /orders/{id}, \
     GET /customers/{id}, GET /health/live, GET /health/ready, GET /projections";

async fn nothing_here(uri: Uri) -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "no-such-path",
        format!("there is nothing at {}; there are: {ROUTES}", uri.path()),
    )
}

async fn not_so(uri: Uri) -> Problem {
    let detail = format!("{} does not take this method; there are: {ROUTES}", uri.path());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "no-such-method", detail)
}

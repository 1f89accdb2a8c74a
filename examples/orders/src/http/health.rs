//! Whether the process does what it can, and whether what it shows is up to date.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use projection_core::{append::AppendEvents, runtime::Health};
use serde_json::{Value, json};

use super::problem::Problem;
use crate::service::Service;

/// Restart the process if it is not.
pub(super) async fn live<E: AppendEvents>(State(service): State<Arc<Service<E>>>) -> (StatusCode, Json<Value>) {
    let all = service.runtime.list();
    let live = all.iter().all(|status| status.health.is_alive());
    let projections: Vec<Value> = all
        .iter()
        .map(|status| {
            json!({ "name": status.name, "health": name(status.health), "live": status.health.is_alive() })
        })
        .collect();
    (code(live), Json(json!({ "live": live, "projections": projections })))
}

/// Send requests elsewhere until it is.
pub(super) async fn ready<E: AppendEvents>(
    State(service): State<Arc<Service<E>>>,
) -> Result<(StatusCode, Json<Value>), Problem> {
    let all = service.readiness().await?;
    let ready = all.iter().all(|(_, ready)| *ready);
    let projections: Vec<Value> = all
        .iter()
        .map(|(status, ready)| json!({ "name": status.name, "health": name(status.health), "ready": ready }))
        .collect();
    Ok((code(ready), Json(json!({ "ready": ready, "projections": projections }))))
}

fn code(well: bool) -> StatusCode {
    if well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }
}

pub(super) fn name(health: Health) -> &'static str {
    match health {
        Health::CatchingUp => "catching up",
        Health::Ready => "ready",
        Health::Stalled(_) => "stalled",
        Health::Retrying => "retrying",
        Health::Standby => "standby",
        Health::Stopped => "stopped",
        Health::Failed => "failed",
        _ => "unknown",
    }
}

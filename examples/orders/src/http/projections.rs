//! The views as operations see them.

use std::sync::Arc;

use axum::{Json, extract::State};
use projection_core::{append::AppendEvents, runtime::ProjectionStatus, store::ParkedInstance};
use serde_json::{Value, json};

use super::{health, problem::Problem};
use crate::{service::Service, told};

pub(super) async fn list<E: AppendEvents>(
    State(service): State<Arc<Service<E>>>,
) -> Result<Json<Vec<Value>>, Problem> {
    let owners = service.runtime.owners().await?;
    let held_by = service.runtime.held_by().await?;
    let mut projections = Vec::new();
    for status in service.runtime.list() {
        let owner = owners.iter().find(|owner| owner.projection == status.name && owner.version == status.version);
        let parked = service.runtime.parked(&status.name).await.map_err(|error| {
            let detail = format!("what is parked cannot be read: {error}");
            Problem::new(axum::http::StatusCode::SERVICE_UNAVAILABLE, "store-away", detail).try_again()
        })?;
        let parked: Vec<Value> = parked.iter().map(shown).collect();
        let mut shown = projection(&status, owner.map(|owner| &*owner.owner), &parked);
        // An append that has not ended, and that no view passes before it has.
        shown["held_by"] = json!(held_by);
        projections.push(shown);
    }
    Ok(Json(projections))
}

/// Of a stand-by, `position` and `lag` are what this process has last seen.
fn projection(status: &ProjectionStatus, owner: Option<&str>, parked: &[Value]) -> Value {
    let progress = &status.progress;
    json!({
        "name": status.name,
        "version": status.version,
        "phase": format!("{:?}", progress.phase).to_lowercase(),
        "health": health::name(status.health),
        "position": progress.position,
        "head": progress.head,
        "lag": progress.lag(),
        "events_applied": progress.events_applied,
        "owner": owner,
        "parked": parked,
        "failure": status.failure.as_ref().map(|failure| told::whole(failure)),
    })
}

fn shown(parked: &ParkedInstance) -> Value {
    json!({ "instance": parked.instance, "from": parked.from, "event": parked.name, "cause": parked.cause })
}

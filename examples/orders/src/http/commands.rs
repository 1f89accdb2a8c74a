//! POST: what changes something. The answer carries the token of its append.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use projection_core::append::AppendEvents;
use serde_json::json;

use super::{
    APPEND_TOKEN,
    extract::{Body, Example, Id, Once},
    problem::Problem,
};
use crate::{ids::OrderId, order::OrderState, placing::PlaceOrder, service::Service};

impl Example for PlaceOrder {
    const EXAMPLE: &'static str =
        r#"{"customer_id": "ada", "lines": [{"sku": "mug", "pieces": 2, "cents_each": 990}]}"#;
}

pub(super) async fn place<E: AppendEvents>(
    State(service): State<Arc<Service<E>>>,
    Once(id): Once,
    Body(order): Body<PlaceOrder>,
) -> Result<impl IntoResponse, Problem> {
    let placed = order.decide(OrderId::random())?;
    let done = service.commands.place(placed, &id).await?;
    let order_id = done.event.order_id;
    let headers =
        [(APPEND_TOKEN, done.token.to_string()), (header::LOCATION.as_str(), format!("/orders/{order_id}"))];
    let body = json!({ "order_id": order_id, "state": OrderState::Open, "total_cents": done.event.total_cents });
    Ok((StatusCode::CREATED, headers, Json(body)))
}

pub(super) async fn ship<E: AppendEvents>(
    State(service): State<Arc<Service<E>>>,
    Id(order_id): Id<OrderId>,
    Once(id): Once,
) -> Result<impl IntoResponse, Problem> {
    let done = service.commands.ship(order_id, &id).await?;
    let body = json!({ "order_id": order_id, "state": OrderState::Shipped });
    Ok(([(APPEND_TOKEN, done.token.to_string())], Json(body)))
}

pub(super) async fn cancel<E: AppendEvents>(
    State(service): State<Arc<Service<E>>>,
    Id(order_id): Id<OrderId>,
    Once(id): Once,
) -> Result<impl IntoResponse, Problem> {
    let done = service.commands.cancel(order_id, &id).await?;
    let refund_cents = done.event.refund_cents;
    let body = json!({ "order_id": order_id, "state": OrderState::Cancelled, "refund_cents": refund_cents });
    Ok(([(APPEND_TOKEN, done.token.to_string())], Json(body)))
}

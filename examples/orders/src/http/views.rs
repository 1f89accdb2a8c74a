//! GET: what the views show, if asked so not before one's own write is in them.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use projection_core::{Projection, append::AppendEvents};

use super::{
    extract::{After, Id},
    problem::Problem,
};
use crate::{
    ids::{CustomerId, OrderId},
    service::Service,
    views::{CustomerView, OrderView},
};

pub(super) async fn order<E: AppendEvents>(
    State(service): State<Arc<Service<E>>>,
    Id(id): Id<OrderId>,
    after: After,
) -> Result<Json<OrderView>, Problem> {
    find::<E, OrderView>(&service, &id, &after).await
}

pub(super) async fn customer<E: AppendEvents>(
    State(service): State<Arc<Service<E>>>,
    Id(id): Id<CustomerId>,
    after: After,
) -> Result<Json<CustomerView>, Problem> {
    find::<E, CustomerView>(&service, &id, &after).await
}

async fn find<E: AppendEvents, P: Projection>(
    service: &Service<E>,
    id: &P::Id,
    after: &After,
) -> Result<Json<P::State>, Problem> {
    let After(token) = after;
    let found = service.find::<P>(id, token.as_ref()).await?;
    found.map(Json).ok_or_else(|| {
        let detail = match token {
            Some(token) => format!("`{}` has no such instance, also after {token}", P::NAME),
            None => format!(
                "`{}` has no such instance yet; to see what you have just sent, add ?after= with the Append-Token of its answer",
                P::NAME
            ),
        };
        Problem::new(StatusCode::NOT_FOUND, "not-in-the-view", detail)
    })
}

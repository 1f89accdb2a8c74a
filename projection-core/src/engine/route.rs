//! Routing: which instances an event changes, into the batch.

use std::sync::Arc;

use super::{
    HandlerTable,
    batch::{Batch, HandlerMask, Step},
    caught,
    decode::DecodedEvent,
};
use crate::{Key as _, Keys, Projection, StoreError};

/// Puts `event` into `batch`, once for each instance its handlers name (spec: B3), and says how many. `Err`: it cannot be decoded, or a
/// key expression panicked; nothing was put in.
pub(crate) fn route<P: Projection>(
    table: &HandlerTable<P>,
    batch: &mut Batch<P::Id>,
    event: &Arc<DecodedEvent>,
) -> Result<usize, StoreError> {
    let payload = event.payload.as_ref().map_err(Clone::clone)?;
    let named = caught(|| {
        let mut named: Vec<(usize, P::Id)> = Vec::new();
        let mut keys = Keys::new();
        for (place, handler) in table.of(payload.as_ref()).iter().enumerate() {
            (handler.keys)(payload.as_ref(), &event.meta, &mut keys);
            named.extend(keys.drain().map(|key| (place, key)));
        }
        named
    })
    .map_err(|panic| StoreError::poison(format!("the key expression {panic}")))?;

    let pairs_before = batch.pairs;
    for (place, id) in named {
        let steps = batch.instances.entry(id).or_default();
        match steps.last_mut() {
            Some(step) if Arc::ptr_eq(&step.event, event) => step.handlers.add(place),
            _ => {
                let mut handlers = HandlerMask::default();
                handlers.add(place);
                steps.push(Step { event: Arc::clone(event), handlers });
                batch.pairs += 1;
            }
        }
    }
    if batch.pairs > pairs_before {
        batch.events += 1;
        batch.bytes += event.bytes;
    }
    Ok(batch.pairs - pairs_before)
}

/// Says which instances an event changes, as text.
pub(crate) type Router = Arc<dyn Fn(&Arc<DecodedEvent>) -> Vec<String> + Send + Sync>;

/// The router of `P`. An event that cannot be routed changes none.
pub(crate) fn router<P: Projection>() -> Router {
    let table = HandlerTable::<P>::new();
    Arc::new(move |event| {
        let mut batch = Batch::new();
        match route(&table, &mut batch, event) {
            Ok(_) => batch.instances.keys().map(|id: &P::Id| id.as_key().to_string()).collect(),
            Err(_) => Vec::new(),
        }
    })
}

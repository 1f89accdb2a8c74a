//! Meters through the `metrics` facade, where the feature of that name is on; nothing otherwise.

use crate::Position;

/// A batch was flushed.
#[cfg(feature = "metrics")]
#[expect(clippy::cast_precision_loss, reason = "gauges are floating-point numbers")]
pub(crate) fn flushed(projection: &str, reached: Position, events: usize, instances: usize) {
    let name = projection.to_owned();
    metrics::counter!("projection_batches_total", "projection" => name.clone()).increment(1);
    metrics::counter!("projection_events_applied_total", "projection" => name.clone()).increment(events as u64);
    metrics::counter!("projection_instances_written_total", "projection" => name.clone())
        .increment(instances as u64);
    metrics::gauge!("projection_position", "projection" => name).set(reached.as_u64() as f64);
}

/// The event store's mark was read, while the view was at `position`.
#[cfg(feature = "metrics")]
#[expect(clippy::cast_precision_loss, reason = "gauges are floating-point numbers")]
pub(crate) fn lag(projection: &str, mark: Position, position: Position) {
    let lag = mark.distance_from(position) as f64;
    metrics::gauge!("projection_lag", "projection" => projection.to_owned()).set(lag);
}

#[cfg(not(feature = "metrics"))]
pub(crate) fn flushed(_: &str, _: Position, _: usize, _: usize) {}

#[cfg(not(feature = "metrics"))]
pub(crate) fn lag(_: &str, _: Position, _: Position) {}

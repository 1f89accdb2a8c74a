//! The meters that the feature `metrics` brings.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};
use projection_core::memory::InMemoryViews;

use crate::support::{guarded_feed, options, turns};

/// Keeps the sum or the last value of each meter, by name.
#[derive(Default)]
struct Kept(Arc<Mutex<BTreeMap<String, f64>>>);

struct Meter {
    name: String,
    kept: Arc<Mutex<BTreeMap<String, f64>>>,
}

impl Meter {
    fn change(&self, change: impl FnOnce(f64) -> f64) {
        let mut kept = self.kept.lock().unwrap();
        let value = kept.entry(self.name.clone()).or_default();
        *value = change(*value);
    }
}

impl CounterFn for Meter {
    fn increment(&self, by: u64) {
        self.change(|value| value + f64::from(u32::try_from(by).unwrap()));
    }
    fn absolute(&self, to: u64) {
        self.change(|_| f64::from(u32::try_from(to).unwrap()));
    }
}

impl GaugeFn for Meter {
    fn increment(&self, by: f64) {
        self.change(|value| value + by);
    }
    fn decrement(&self, by: f64) {
        self.change(|value| value - by);
    }
    fn set(&self, to: f64) {
        self.change(|_| to);
    }
}

impl Kept {
    fn meter(&self, key: &Key) -> Arc<Meter> {
        let labels: Vec<_> = key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        Arc::new(Meter { name: format!("{} {}", key.name(), labels.join(",")), kept: Arc::clone(&self.0) })
    }
}

impl Recorder for Kept {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.meter(key))
    }
    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.meter(key))
    }
    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

#[tokio::test]
async fn batches_events_instances_position_and_lag_are_metered() {
    let kept = Kept::default();
    let values = Arc::clone(&kept.0);
    let guard = metrics::set_default_local_recorder(&kept);
    let views = InMemoryViews::new();
    guarded_feed(options(5), &turns(12), &views).await.catch_up().await.unwrap();
    drop(guard);
    let values = values.lock().unwrap();
    let value = |name: &str| values[&format!("{name} projection=lists")];
    assert!((value("projection_batches_total") - 3.0).abs() < 0.5);
    assert!((value("projection_events_applied_total") - 12.0).abs() < 0.5);
    assert!((value("projection_instances_written_total") - 8.0).abs() < 0.5);
    assert!((value("projection_position") - 12.0).abs() < 0.5);
    assert!(value("projection_lag").abs() < 0.5, "the mark was read last when all was applied");
}
